/** Counts in what the agents say. The simulator stands for another company's server, so it shares nothing with the product. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
