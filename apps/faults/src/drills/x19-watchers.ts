import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type BullpenClient } from '@bullpen/client';
import type { DrillContext } from '../drill.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Plan } from '../stack/plan.js';
import type { Stack } from '../stack/stack.js';
import { scaled } from '../stack/workload.js';
import { watchToEnd } from '../stack/watcher.js';

const SLOW: Plan = {
  key: 'slow',
  steps: Array.from({ length: 8 }, () => ({ do: 'todo' as const })),
  thinkMs: 8_000,
  chars: 4_000,
};
const QUIET: Plan = { key: 'quiet', steps: [], thinkMs: 60_000 };
const FUTURE = '999999999';
const MAX_RSS_MB = 700;

export const watchers = defineDrill({
  id: 'X19',
  title: 'watchers reconnect in storms, read slowly, and come with ids from the future',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  stack: { workers: 1 },
  act: async (stack, context) => {
    const client = createClient({ baseUrl: stack.baseUrl, apiKey: stack.apiKey, retries: 100 });
    const quiet = await stack.submitter.submit(QUIET);
    const idle = await costOfFuture(stack, client, quiet.id);
    const { id } = await stack.submitter.submit(SLOW);
    const over = new AbortController();
    const good = Array.from({ length: scaled(40, context.scale) }, () =>
      watchToEnd(client, id, context.signal),
    );
    const bad = Array.from({ length: scaled(60, context.scale) }, () =>
      comeAndGo(stack, context, id, over.signal),
    );
    const [seen] = await Promise.all([Promise.all(good).finally(() => over.abort()), ...bad]);
    const rss = megabytesOf(stack.gateway.pid);
    context.log(`the gateway has ${rss} MB`);
    return [...idle, ...seen.flat(), ...(rss < MAX_RSS_MB ? [] : [`the gateway has grown to ${rss} MB`])];
  },
});

/** Watchers that have "seen" more than there is must cost nothing, and must not stop others from watching. */
async function costOfFuture(stack: Stack, client: BullpenClient, id: string): Promise<string[]> {
  const stop = new AbortController();
  const future = fetch(`${stack.baseUrl}/v1/tasks/${id}/stream`, {
    headers: { authorization: `Bearer ${stack.apiKey}`, 'last-event-id': FUTURE },
    signal: stop.signal,
  });
  await future;
  const normal = watchToEnd(client, id, stack.signal);
  await stack.pause(1_000);
  const before = cpuSecondsOf(stack.gateway.pid);
  await stack.pause(3_000);
  const used = (cpuSecondsOf(stack.gateway.pid) - before) / 3;
  stack.log(`the gateway uses ${Math.round(used * 100)} % of a core for two watchers of a quiet task`);
  const seen = await normal;
  const ended = await Promise.race([
    future.then((response) => response.text()).then(() => true),
    stack.pause(10_000).then(() => false),
  ]);
  stop.abort();
  return [
    ...seen,
    ...(used < 0.3
      ? []
      : [`a watcher from the future makes the gateway use ${Math.round(used * 100)} % of a core`]),
    ...(ended ? [] : ['the stream of a watcher from the future does not end with its task']),
  ];
}

/** Connects, reads nothing or a little, leaves, and comes back, until the watching is over. */
async function comeAndGo(
  { baseUrl, apiKey }: Stack,
  { random, signal }: DrillContext,
  id: string,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const visit = new AbortController();
    const leave = (): void => visit.abort();
    const timer = setTimeout(leave, 200 + random() * 3_000);
    const lastId = random() < 0.2 ? FUTURE : String(Math.floor(random() * 20));
    try {
      const response = await fetch(`${baseUrl}/v1/tasks/${id}/stream`, {
        headers: { authorization: `Bearer ${apiKey}`, 'last-event-id': lastId },
        signal: visit.signal,
      });
      // Half of them never read: the gateway has to bound what waits for them.
      if (random() < 0.5) await response.text();
      else await sleep(3_200, undefined, { signal: visit.signal });
    } catch {
      signal.throwIfAborted(); // Else it just left, as planned.
    } finally {
      clearTimeout(timer);
      leave();
    }
  }
}

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function megabytesOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1_024);
}
