/** How alike two short texts are, in time linear in their lengths (Sørensen-Dice over pairs of characters). */

/** Only so much of a text is compared. */
const MAX_CHARS = 300;

/** From 0 (no pair of neighbouring characters in common) to 1 (equal). Canonical forms of Unicode are no difference. */
export function similarity(a: string, b: string): number {
  const left = a.normalize('NFC').slice(0, MAX_CHARS);
  const right = b.normalize('NFC').slice(0, MAX_CHARS);
  if (left === right) return 1;
  const counts = pairCounts(left);
  let common = 0;
  for (const [pair, count] of pairCounts(right)) common += Math.min(count, counts.get(pair) ?? 0);
  // Padded at both ends, so that single characters have pairs too.
  return (2 * common) / (left.length + right.length + 2);
}

/** Longer names are compared by their pairs only: the cost of counting typing errors grows with the square. */
const MAX_TYPO_CHARS = 40;

/** As `similarity`, but also high for short names that differ by a few typing errors (`scr` and `src`). */
export function nameSimilarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  const alike = similarity(a, b);
  return longest > MAX_TYPO_CHARS || longest === 0
    ? alike
    : Math.max(alike, 1 - typingErrors(a, b) / longest);
}

/** Characters added, left out, changed, or swapped with their neighbour (optimal string alignment distance). */
function typingErrors(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1;
      let errors = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + changed,
      );
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) errors = Math.min(errors, at(before, column - 2) + 1);
      current.push(errors);
    }
    before = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}

function pairCounts(text: string): Map<string, number> {
  const padded = `\u0002${text}\u0003`;
  const counts = new Map<string, number>();
  for (let index = 0; index + 1 < padded.length; index += 1) {
    const pair = padded.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
