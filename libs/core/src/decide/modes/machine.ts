/**
 * The machine of work modes: which mode a trigger leads to. Modes and rules are data; this finds the rule. Pure: what a rule depends on
 * comes in as facts.
 */
import type { ModeCondition, ModeDefinition, ModeRule } from '@bullpen/contracts';

/** Where each task begins, and where `abandoned` leads from everywhere. */
export const IDLE = 'idle';

/** Leaves any mode without having reached its aim. No file has to list it. */
const ABANDONED: ModeRule = {
  on: 'abandoned',
  to: IDLE,
  priority: 1,
  when: null,
  means: 'the aim of this mode is given up; the reason says why',
};

export type ModeFacts = Readonly<Record<ModeCondition, boolean>>;

export type ModeChoice =
  | { readonly ok: true; readonly rule: ModeRule }
  /** `possible`: triggers that would have led somewhere. */
  | { readonly ok: false; readonly reason: string; readonly possible: readonly string[] };

/** Immutable. Rules of a mode and trigger are found by a look-up, best first. */
export class ModeMachine {
  private readonly byName: ReadonlyMap<string, ModeDefinition>;
  private readonly index: ReadonlyMap<string, readonly ModeRule[]>;

  constructor(readonly modes: readonly ModeDefinition[]) {
    this.byName = new Map(modes.map((mode) => [mode.name, mode]));
    const index = new Map<string, ModeRule[]>();
    for (const mode of modes)
      for (const rule of rulesOf(mode)) {
        const key = keyOf(mode.name, rule.on);
        index.set(key, [...(index.get(key) ?? []), rule]);
      }
    // The sort is stable: on a tie, the rule listed first stays first.
    for (const rules of index.values()) rules.sort((a, b) => b.priority - a.priority);
    this.index = index;
  }

  mode(name: string): ModeDefinition | null {
    return this.byName.get(name) ?? null;
  }

  /** Where a trigger leads. A refusal is a value: it ends nothing. */
  choose(mode: string, trigger: string, facts: ModeFacts): ModeChoice {
    const rules = this.index.get(keyOf(mode, trigger)) ?? [];
    const rule = rules.find(({ when }) => holds(when, facts));
    if (rule !== undefined) return { ok: true, rule };
    const possible = this.possible(mode, facts);
    const needed = rules.flatMap(({ when }) => (when === null ? [] : [conditionText(when)]));
    const reason =
      needed.length === 0
        ? `${mode} has no trigger ${trigger}.`
        : `${trigger} needs ${needed.join(' or ')}, which is not so.`;
    return { ok: false, reason, possible };
  }

  /** The triggers that lead somewhere now, in the order of the mode's rules. */
  possible(mode: string, facts: ModeFacts): readonly string[] {
    const found = this.byName.get(mode);
    const rules = found === undefined ? [] : rulesOf(found);
    return [...new Set(rules.filter(({ when }) => holds(when, facts)).map(({ on }) => on))];
  }
}

/** The rules of a mode, `abandoned` included where it leads anywhere. */
export function rulesOf(mode: ModeDefinition): readonly ModeRule[] {
  const isListed = mode.rules.some(({ on }) => on === ABANDONED.on);
  return mode.name === IDLE || isListed ? mode.rules : [...mode.rules, ABANDONED];
}

/** What a condition says, as the end of "it needs …". */
const CONDITION_TEXT: Readonly<Record<ModeCondition, string>> = {
  large_change: 'a change of more than 5 files',
  has_pending_changes: 'changed files',
  has_errors: 'an error on record',
  tests_passed: 'tests that were run by a command of their own after the last change, and passed',
};

/** The same, for whoever tells it. */
export function conditionText(when: ModeCondition): string {
  return CONDITION_TEXT[when];
}

function holds(when: ModeCondition | null, facts: ModeFacts): boolean {
  return when === null || facts[when];
}

function keyOf(mode: string, trigger: string): string {
  return `${mode} ${trigger}`;
}
