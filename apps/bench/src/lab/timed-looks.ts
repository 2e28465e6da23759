/** How long the answers of a gateway take, for each thing that can be asked. */
import { median } from '../report/statistics.js';
import type { Stack } from './stack.js';

export interface TimedLook {
  readonly path: string;
  readonly medianMs: number;
  readonly samples: readonly number[];
}

type Asked = Pick<Stack, 'url' | 'key'>;

/** Asks for each path so many times, after once that does not count, and for the page after the first where there is one. */
export async function timeLooks(stack: Asked, paths: readonly string[], times: number): Promise<TimedLook[]> {
  const looks: TimedLook[] = [];
  for (const path of paths) {
    const { look, text } = await timeLook(stack, path, times);
    looks.push(look);
    const next = /"nextCursor":"([^"]+)"/.exec(text)?.[1];
    if (next === undefined) continue;
    const after = `${path}${path.includes('?') ? '&' : '?'}after=${next}`;
    looks.push((await timeLook(stack, after, times)).look);
  }
  return looks;
}

/**
 * The same looks, slowest first, the slowest of them asked for twice more: of its three medians the lowest counts. What else uses the
 * machine for a moment makes some of so many look slow, and none quick.
 */
export async function askAgain(
  stack: Asked,
  looks: readonly TimedLook[],
  { slowest, times }: { readonly slowest: number; readonly times: number },
): Promise<TimedLook[]> {
  const sorted = bySlowness(looks);
  const asked = sorted.slice(0, slowest);
  for (let round = 0; round < 2; round += 1)
    for (const [at, before] of asked.entries()) {
      const { look } = await timeLook(stack, before.path, times);
      if (look.medianMs < before.medianMs) asked[at] = look;
    }
  return bySlowness([...asked, ...sorted.slice(slowest)]);
}

const bySlowness = (looks: readonly TimedLook[]) => looks.toSorted((a, b) => b.medianMs - a.medianMs);

async function timeLook(stack: Asked, path: string, times: number) {
  const samples: number[] = [];
  let text = await answerOf(stack, path);
  while (samples.length < times) {
    const start = performance.now();
    text = await answerOf(stack, path);
    samples.push(performance.now() - start);
  }
  return { look: { path, medianMs: median(samples), samples }, text };
}

/** All of it; of a stream, which does not end, what comes first. */
async function answerOf({ url, key }: Asked, path: string): Promise<string> {
  const stop = new AbortController();
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: stop.signal,
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  if (!/\/stream\b/.test(path)) return response.text();
  const reader = response.body?.getReader();
  await reader?.read();
  stop.abort();
  return '';
}
