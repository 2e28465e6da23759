/** Guesses which known word was meant. */

/** The closest known word when it is close enough to be a slip (a third of its letters); null otherwise. */
export function similarTo(word: string, known: readonly string[]): string | null {
  return similarOnes(word, known)[0] ?? null;
}

/** All words that are close enough to be a slip, the closest first. */
export function similarOnes(word: string, known: readonly string[]): string[] {
  if (word.length > 64) return [];
  return known
    .map((name) => ({
      name,
      distance: editDistance(word.toLowerCase().replaceAll('_', ''), name.toLowerCase()),
    }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

/** Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
