/** What becomes of a trigger: the row that is recorded, whether the task moves or not. Pure; a refusal ends nothing. */
import type { DurableEventBody, TransitionsView, WorkMachine } from '@bullpen/contracts';
import type { ModeContext, Transition } from '../../task/mode-context.js';
import { factsOf } from './conditions.js';
import { handled, type ModeHandlers } from './handlers.js';
import { conditionText, IDLE, ModeMachine, rulesOf, type ModeFacts } from './machine.js';

/** So often a trigger may lead out of the same mode before the user is asked how to go on. */
const MOST_ROUNDS = 5;

/** Somebody or something wants the task in another mode. */
export interface Firing {
  readonly trigger: string;
  readonly source: Transition['source'];
  readonly by: string | null;
  readonly reason: string | null;
}

/** Where a task stands. */
export interface Standing {
  readonly machine: WorkMachine;
  /** All rows so far, oldest first. */
  readonly rows: readonly Transition[];
  /** With these rows counted in. */
  readonly context: ModeContext;
}

const machines = new WeakMap<WorkMachine, ModeMachine>();

/** The modes of a task, ready to be looked up. */
export function machineOf(machine: WorkMachine): ModeMachine {
  const made = machines.get(machine) ?? new ModeMachine(machine.modes);
  machines.set(machine, made);
  return made;
}

/** The mode that rows lead to. */
export function modeAfter(rows: readonly Transition[]): string {
  return rows.findLast(({ to }) => to !== null)?.to ?? IDLE;
}

/** The next row. @param handlers for specs */
export function fire(standing: Standing, firing: Firing, handlers?: ModeHandlers): Transition {
  const { rows, context } = standing;
  const machine = machineOf(standing.machine);
  const from = modeAfter(rows);
  const facts = factsOf(context);
  const choice = machine.choose(from, firing.trigger, facts);
  const to = choice.ok ? choice.rule.to : null;
  const refusal = choice.ok
    ? (goalProblem(standing, firing, choice.rule.to) ??
      boundProblem(standing, firing, from) ??
      handled(context, from, choice.rule.to, handlers).problem)
    : choice.reason;
  const place = { ...firing, seq: rows.length + 1, from };
  if (refusal === null) return { ...place, to, outcome: 'moved', refusal, possible: [] };
  const possible = possibleFor(standing, firing, from, facts);
  return { ...place, to: null, outcome: 'refused', refusal, possible };
}

/** Triggers that would have led somewhere. */
function possibleFor(standing: Standing, firing: Firing, from: string, facts: ModeFacts): string[] {
  const machine = machineOf(standing.machine);
  return machine.possible(from, facts).filter((trigger) => {
    const choice = machine.choose(from, trigger, facts);
    const other = { ...firing, trigger };
    return (
      choice.ok &&
      goalProblem(standing, other, choice.rule.to) === null &&
      boundProblem(standing, other, from) === null
    );
  });
}

/** An agent that was asked a question does not begin to change things by itself. */
function goalProblem({ machine, context }: Standing, { source }: Firing, to: string): string | null {
  if (source !== 'agent' || context.goal !== 'answer') return null;
  if (machineOf(machine).mode(to)?.groups.includes('write') !== true) return null;
  return `The user asked a question and wants nothing changed, so the work does not go on to ${to} by itself: answer the question.`;
}

/** People decide for themselves how often they go round; so do the words with which they ask for something. */
function boundProblem(standing: Standing, { source, trigger }: Firing, from: string): string | null {
  if (source === 'person' || source === 'intent' || roundsOf(standing, from, trigger) < MOST_ROUNDS)
    return null;
  return `${trigger} has led out of ${from} ${MOST_ROUNDS} times, which is as often as it may: the user is asked how to go on.`;
}

function roundsOf(
  {
    rows,
    context: { allowedSince },
  }: Pick<Standing, 'rows'> & { context: Pick<ModeContext, 'allowedSince'> },
  from: string,
  trigger: string,
): number {
  return rows.filter(
    (row) => row.seq > allowedSince && row.to !== null && row.from === from && row.trigger === trigger,
  ).length;
}

/** Why the task must not go on alone, as a text for people: its newest trigger has led round too often. Null when it may. */
export function circleOf(
  rows: readonly Transition[],
  context: Pick<ModeContext, 'allowedSince'> | null,
): string | null {
  const last = rows.at(-1);
  if (last === undefined || context === null || last.to !== null || last.seq <= context.allowedSince)
    return null;
  if (last.source === 'person' || roundsOf({ rows, context }, last.from, last.trigger) < MOST_ROUNDS)
    return null;
  return `The work goes round in circles: ${last.trigger} has led out of ${last.from} ${MOST_ROUNDS} times.`;
}

/** What people are told of a row. */
export function transitionEvent(row: Transition): DurableEventBody {
  const { seq, from, to, trigger, source, by, reason, refusal, possible } = row;
  return to === null
    ? {
        type: 'mode.refused',
        data: { seq, mode: from, trigger, source, by, refusal: refusal ?? '', possible: [...possible] },
      }
    : { type: 'mode.changed', data: { seq, from, to, trigger, source, by, reason } };
}

/** The ways out of the mode that a task is in, for a person. */
export function waysOut({
  machine,
  rows,
  context,
}: Standing): Pick<TransitionsView, 'possible' | 'impossible'> {
  const facts = factsOf(context);
  const found = machineOf(machine);
  const mode = found.mode(modeAfter(rows));
  const rules = mode === null ? [] : rulesOf(mode);
  const chosen = (trigger: string) => {
    const choice = mode === null ? null : found.choose(mode.name, trigger, facts);
    return choice?.ok === true ? choice.rule : null;
  };
  return {
    possible: rules
      .filter((rule) => chosen(rule.on) === rule)
      .map(({ on, to, priority, when, means }) => ({ trigger: on, to, priority, when, means })),
    impossible: rules.flatMap((rule) => {
      const instead = chosen(rule.on);
      if (instead === rule) return [];
      const why =
        rule.when !== null && !facts[rule.when]
          ? `It needs ${conditionText(rule.when)}, which is not so.`
          : `As things are, ${rule.on} leads to ${instead?.to ?? 'nothing'}.`;
      return [{ trigger: rule.on, to: rule.to, why }];
    }),
  };
}
