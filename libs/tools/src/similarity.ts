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

function pairCounts(text: string): Map<string, number> {
  const padded = `\u0002${text}\u0003`;
  const counts = new Map<string, number>();
  for (let index = 0; index + 1 < padded.length; index += 1) {
    const pair = padded.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
