/** How long the answers of a gateway take, for each thing that can be asked. */
import { median } from '../report/statistics.js';
import type { Stack } from './stack.js';

export interface TimedLook {
  readonly path: string;
  readonly medianMs: number;
  readonly samples: readonly number[];
}

/** Asks for each path so many times, after once that does not count, and for the page after the first where there is one. */
export async function timeLooks(
  stack: Pick<Stack, 'url' | 'key'>,
  paths: readonly string[],
  times: number,
): Promise<TimedLook[]> {
  const timed: TimedLook[] = [];
  const time = async (path: string): Promise<string> => {
    const samples: number[] = [];
    let text = await answerOf(stack, path);
    while (samples.length < times) {
      const start = performance.now();
      text = await answerOf(stack, path);
      samples.push(performance.now() - start);
    }
    timed.push({ path, medianMs: median(samples), samples });
    return text;
  };
  for (const path of paths) {
    const next = /"nextCursor":"([^"]+)"/.exec(await time(path))?.[1];
    if (next !== undefined) await time(`${path}${path.includes('?') ? '&' : '?'}after=${next}`);
  }
  return timed;
}

/** All of it; of a stream, which does not end, what comes first. */
async function answerOf({ url, key }: Pick<Stack, 'url' | 'key'>, path: string): Promise<string> {
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
