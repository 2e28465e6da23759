/** The way of a task through the modes, as marks on the map. Pure. */

/** What of a transition is drawn. */
export interface PathStep {
  readonly from: string;
  /** Null: refused, so that the mode stayed. */
  readonly to: string | null;
}

export interface Path {
  /** By mode: the steps that led into it, counted from 1. */
  readonly steps: ReadonlyMap<string, readonly number[]>;
  /** The lines that it went along, as `from to`. */
  readonly taken: ReadonlySet<string>;
  /** By mode: how often a trigger was refused in it. */
  readonly refused: ReadonlyMap<string, number>;
  readonly current: string | null;
}

/** Marks for the steps in their order. */
export function pathOf(history: readonly PathStep[], current: string | null): Path {
  const steps = new Map<string, number[]>();
  const taken = new Set<string>();
  const refused = new Map<string, number>();
  let step = 0;
  for (const { from, to } of history) {
    if (to === null) {
      refused.set(from, (refused.get(from) ?? 0) + 1);
      continue;
    }
    step += 1;
    steps.set(to, [...(steps.get(to) ?? []), step]);
    taken.add(`${from} ${to}`);
  }
  return { steps, taken, refused, current };
}
