/** Moving through a list, and choosing a range of it. Pure. */

interface Row {
  readonly id: string;
}

/** The row so far from the given one; the ends hold. */
export function neighbour<T extends Row>(
  rows: readonly T[],
  id: string | undefined,
  by: number,
): T | undefined {
  const at = rows.findIndex((row) => row.id === id);
  return rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
}

/** What is selected after going from one row to another with Shift. */
export function rangeTo(
  rows: readonly Row[],
  selected: readonly string[],
  from: string,
  to: string,
): string[] {
  const [a, b] = [from, to].map((id) => rows.findIndex((row) => row.id === id)).sort((x, y) => x - y);
  const range = rows.slice(a, (b ?? 0) + 1).map(({ id }) => id);
  return [...new Set([...selected, ...range])];
}
