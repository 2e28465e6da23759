/** Waits for a condition. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is not null. Throws after `withinMs`, naming what was waited for. */
export async function until<T>(what: string, withinMs: number, ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}`);
    await sleep(5);
  }
}
