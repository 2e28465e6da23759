/** Counts as people read them, the same in every text of the product. */

/** `1 line`, `2 lines`; with a plural of its own: `2 entries`. */
export function plural(count: number, noun: string, nouns?: string): string {
  return `${count} ${nounFor(count, noun, nouns)}`;
}

/** The word alone, for a count that is written in another way (`12.3k lines`), and for verbs (`1 waits`, `2 wait`). */
export function nounFor(count: number, noun: string, nouns = `${noun}s`): string {
  return count === 1 ? noun : nouns;
}
