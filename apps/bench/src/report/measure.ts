/** One line of the result: a value, what it stands beside in the same run, and whether it is good enough. */

export type Backend = 'redis' | 'postgres';

/** What must hold, of the value itself or of its ratio to the peer. */
export type Goal =
  | { readonly of: 'value' | 'ratio'; readonly atMost: number }
  | { readonly of: 'value' | 'ratio'; readonly atLeast: number }
  | { readonly of: 'value' | 'ratio'; readonly exactly: number };

/** What stands beside a value: measured in the same run, in the same unit, or missing. */
export interface Peer {
  readonly name: string;
  /** Null: it could not be measured. */
  readonly value: number | null;
  /** Why there is no value. */
  readonly problem?: string;
  /** What it does less, or more. */
  readonly unequal?: string;
}

export interface Measure {
  /** The name that `--only` takes. */
  readonly figure: string;
  /** Null: no queue takes part. */
  readonly backend: Backend | null;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly peer: Peer | null;
  /** Value over peer; null without a peer, or without its value. */
  readonly ratio: number | null;
  readonly goal: Goal | null;
  /** Null without a goal, or where what it is about could not be measured. */
  readonly met: boolean | null;
  /** How it was measured, where the number alone would mislead. */
  readonly note: string | null;
}

export interface Measured {
  readonly figure: string;
  readonly backend?: Backend;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly peer?: Peer;
  readonly goal?: Goal;
  readonly note?: string;
}

/** Completes a line: ratio, and whether the goal is met. Throws `RangeError` for a value that is no number. */
export function measure(measured: Measured): Measure {
  const { value, peer, goal } = measured;
  if (!Number.isFinite(value))
    throw new RangeError(`${measured.figure}: ${measured.what} is not a number: ${value}`);
  if (goal?.of === 'ratio' && peer === undefined) throw new RangeError('A goal of a ratio needs a peer');
  const ratio = peer === undefined || peer.value === null ? null : value / peer.value;
  return {
    figure: measured.figure,
    backend: measured.backend ?? null,
    what: measured.what,
    value,
    unit: measured.unit,
    peer: peer ?? null,
    ratio,
    goal: goal ?? null,
    met: goal === undefined ? null : meets(goal, value, ratio),
    note: measured.note ?? null,
  };
}

function meets(goal: Goal, value: number, ratio: number | null): boolean | null {
  const judged = goal.of === 'value' ? value : ratio;
  if (judged === null) return null;
  if ('atMost' in goal) return judged <= goal.atMost;
  return 'atLeast' in goal ? judged >= goal.atLeast : judged === goal.exactly;
}
