import { describe, expect, it } from '@jest/globals';
import type { WakeJob } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { Activator, type ActivatorOptions } from './activator.js';

const WAKE: WakeJob = { v: 1, taskId: 'task_1', wake: 3 };
const never = new AbortController().signal;

/** An activator that may not touch anything but what is given. */
function draining(handBack: ActivatorOptions['handBack']) {
  let released = 0;
  const activator = new Activator({
    handBack,
    logger: silentLogger(),
    onReleased: () => (released += 1),
  } as unknown as ActivatorOptions);
  activator.drain();
  return { activator, released: () => released };
}

describe('an activator that drains', () => {
  it('gives a wake back at once, and lets a dispatch round follow', async () => {
    const back: WakeJob[] = [];
    const { activator, released } = draining((wake) => Promise.resolve(void back.push(wake)));
    expect(await activator.activate(WAKE, never)).toBeUndefined();
    expect(back).toEqual([WAKE]);
    expect(released()).toBe(1);
  });

  it('leaves the wake to the reconciler when the database is away', async () => {
    const { activator } = draining(() => Promise.reject(new Error('away')));
    await expect(activator.activate(WAKE, never)).resolves.toBeUndefined();
  });
});
