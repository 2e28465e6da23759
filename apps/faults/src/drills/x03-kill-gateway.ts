import { createClient } from '@bullpen/client';
import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled } from '../stack/workload.js';
import { watchToEnd } from '../stack/watcher.js';
import type { Stack } from '../stack/stack.js';

export const killGateway = defineDrill({
  id: 'X3',
  title: 'kill -9 of the gateway while it takes tasks and while people watch',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  // A key whose request died with the gateway is free again after a minute.
  seconds: 150,
  stack: { workers: 2 },
  act: async (stack, context) => {
    const first = await stack.submitter.submitAll(mixed(8, 'w'));
    const rest = stack.submitter.submitAll(mixed(scaled(40, context.scale)), 8);
    const trouble = storm(
      stack,
      context,
      20 * context.scale,
      [300, 1_500],
      () => stack.gateway.replace(),
      rest,
    );
    const watchers = first.map(({ id }) => watch(stack, id));
    const [seen] = await Promise.all([Promise.all(watchers), rest, trouble]);
    return seen.flat();
  },
});

function watch(stack: Stack, id: string): Promise<string[]> {
  const { baseUrl, signal } = stack;
  return watchToEnd(createClient({ baseUrl, apiKey: stack.apiKey, retries: 1_000 }), id, signal);
}
