/** Figures out of samples. All of them refuse an empty list: a bench that measured nothing must not report a number. */

/** The value below which `share` (0 to 1) of the samples lie, by the nearest rank. Throws `RangeError` for no samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  const value = sorted[at];
  if (value === undefined) throw new RangeError('There are no samples');
  return value;
}

/** The middle one; of an even number of samples the mean of the middle two. Throws `RangeError` for no samples. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('There are no samples');
  return (lower + upper) / 2;
}

/** Differences between neighbours; one fewer than there are times. */
export function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}
