import { describe, expect, it } from '@jest/globals';
import { Attendant, type AttendantOptions } from './attendant.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One that asks the gateway, and nobody at a terminal. */
function attendant(signal: AbortSignal, get: (id: string) => Promise<unknown>) {
  const errors: unknown[] = [];
  const options = {
    client: { interactions: { get } },
    screen: { hold: () => undefined, release: () => undefined },
    signal,
    onError: (error: unknown) => errors.push(error),
  } as unknown as AttendantOptions;
  return { attendant: new Attendant(options), errors };
}

describe('who sits at the terminal', () => {
  it('is idle when something is opened after everybody has left', async () => {
    const { attendant: one } = attendant(AbortSignal.abort(), () => Promise.reject(new Error('asked')));
    one.ask('ask_1');
    await turn();
    expect(one.busy).toBe(false);
    await one.idle();
  });

  it('looks at everything that is opened, also while the last look ends, and after one that failed', async () => {
    const asked: string[] = [];
    const { attendant: one, errors } = attendant(new AbortController().signal, (id) => {
      asked.push(id);
      if (id === 'ask_2') return Promise.reject(new Error('away'));
      // Just before the attendant has nothing to do any more, and just after.
      if (id === 'ask_1')
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(() => one.ask('ask_4'));
      return Promise.resolve({ state: 'answered' });
    });
    for (const id of ['ask_1', 'ask_2', 'ask_3']) one.ask(id);
    await turn();
    for (let wait = 0; wait < 6; wait += 1) {
      let later = Promise.resolve();
      for (let n = 0; n < wait; n += 1) later = later.then(() => undefined);
      one.ask(`first_${wait}`);
      void later.then(() => one.ask(`then_${wait}`));
      await turn();
      expect(asked.slice(-2)).toEqual([`first_${wait}`, `then_${wait}`]);
    }
    expect(asked.slice(0, 4).sort()).toEqual(['ask_1', 'ask_2', 'ask_3', 'ask_4']);
    expect(errors).toHaveLength(1);
    expect(one.busy).toBe(false);
  });
});
