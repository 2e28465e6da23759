/** What is wrong with a set of modes, before any task runs in it. */
import { similarTo, type ModeDefinition, type ModeRule } from '@bullpen/contracts';
import { IDLE, rulesOf } from './machine.js';

/** A fault in a mode. `rule` is the place among its rules; null when it is about the mode as a whole. */
export interface ModeProblem {
  readonly mode: string;
  readonly rule: number | null;
  readonly message: string;
}

/**
 * Everything wrong with the modes together: targets that do not exist, rules that could never be chosen or that tie, modes that cannot
 * be reached from `idle` or cannot reach it. Empty when the machine can be used.
 */
export function machineProblems(modes: readonly ModeDefinition[]): readonly ModeProblem[] {
  const problems = [...modes.flatMap((mode) => targetProblems(mode, modes)), ...modes.flatMap(orderProblems)];
  if (!modes.some(({ name }) => name === IDLE))
    return [
      ...problems,
      { mode: IDLE, rule: null, message: `there is no mode ${IDLE}, where every task begins` },
    ];
  // With targets that do not exist, what can be reached is not known.
  return problems.length > 0 ? problems : wayProblems(modes);
}

function targetProblems(mode: ModeDefinition, modes: readonly ModeDefinition[]): ModeProblem[] {
  const names = modes.map(({ name }) => name);
  return mode.rules.flatMap(({ on, to }, rule) => {
    if (names.includes(to)) return [];
    const similar = similarTo(to, names);
    const meant = similar === null ? '' : `; did you mean ${similar}?`;
    return [{ mode: mode.name, rule, message: `${on} leads to ${to}, and there is no such mode${meant}` }];
  });
}

/** A rule behind one that always wins is never chosen; which of two that tie was meant, nobody can tell. */
function orderProblems({ name, rules }: ModeDefinition): ModeProblem[] {
  return rules.flatMap((rule, at) => {
    const winner = rules.find((other, place) => other !== rule && beats(other, place, rule, at));
    if (winner === undefined) return [];
    const what =
      winner.priority === rule.priority && winner.when === rule.when
        ? `ties with the rule to ${winner.to}: give one of them another priority`
        : `is never chosen: the rule to ${winner.to} comes before it, and always holds`;
    return [{ mode: name, rule: at, message: `${rule.on} to ${rule.to} ${what}` }];
  });
}

function beats(other: ModeRule, otherAt: number, rule: ModeRule, at: number): boolean {
  if (other.on !== rule.on) return false;
  if (other.when !== null && other.when !== rule.when) return false;
  return other.priority > rule.priority || (other.priority === rule.priority && otherAt < at);
}

function wayProblems(modes: readonly ModeDefinition[]): ModeProblem[] {
  const forward = new Map(modes.map((mode) => [mode.name, rulesOf(mode).map(({ to }) => to)]));
  const back = new Map(
    modes.map(({ name }) => [
      name,
      modes.filter((mode) => forward.get(mode.name)?.includes(name)).map((mode) => mode.name),
    ]),
  );
  const entered = reach(forward);
  const left = reach(back);
  return modes.flatMap(({ name }) => [
    ...(entered.has(name)
      ? []
      : [{ mode: name, rule: null, message: `nothing leads from ${IDLE} to ${name}` }]),
    ...(left.has(name)
      ? []
      : [{ mode: name, rule: null, message: `nothing leads from ${name} back to ${IDLE}` }]),
  ]);
}

/** Everything that can be reached from `idle` along the edges. */
function reach(edges: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([IDLE]);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return found;
}
