import { ended } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

export const rollingRestart = defineDrill({
  id: 'X18',
  title: 'workers and gateway are restarted in order under load: no turn is lost, none is paid twice',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 90,
  expect: { uncertain: 0 },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(60, context.scale)));
    const [found] = await Promise.all([rollOver(stack, context.scale), ended(stack)]);
    return found;
  },
});

/** Everything once; the workers a second time when there is time for it. */
async function rollOver({ workers, gateway }: Stack, scale: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const app of [...workers, gateway, ...(scale < 1 ? [] : workers)]) {
    const end = await app.terminate();
    if (end?.code !== 0) found.push(`${app.name} ended with ${end?.code ?? end?.signal} when asked to stop`);
    await app.start();
  }
  return found;
}
