/**
 * Rows that stand still: those that are shown are patched in their places, those that are gone stay until the next load, and new ones
 * wait to be asked for. Pure.
 */

interface Row {
  readonly id: string;
}

interface Settled<T> {
  readonly rows: readonly T[];
  /** How many new ones wait. */
  readonly fresh: number;
  /** Shown, but no longer among what fits. */
  readonly gone: ReadonlySet<string>;
}

/** `shown`: what was shown last, in its order. `current`: what the gateway gives now, newest first. */
export function settle<T extends Row>(shown: readonly T[], current: readonly T[]): Settled<T> {
  const now = new Map(current.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const lastKnown = current.findLastIndex(({ id }) => known.has(id));
  // Older ones come by paging: they belong at the end, and were asked for.
  const older = current.slice(lastKnown + 1);
  const fresh = current.slice(0, Math.max(lastKnown, 0)).filter(({ id }) => !known.has(id));
  return {
    rows: [...shown.map((row) => now.get(row.id) ?? row), ...older],
    fresh: fresh.length,
    gone: new Set(shown.flatMap(({ id }) => (now.has(id) ? [] : [id]))),
  };
}
