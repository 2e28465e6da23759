import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

describe('waitFor', () => {
  it('asks until there is something, and gives that, a zero included', async () => {
    const answers = [null, undefined, false, 0];
    expect(await waitFor(() => answers.shift(), { what: 'an answer', everyMs: 1 })).toBe(0);
  });

  it('names what did not come, and the last answer', async () => {
    await expect(waitFor(() => null, { what: 'the task to end', timeoutMs: 5, everyMs: 1 })).rejects.toThrow(
      'Waited 5 ms for the task to end; last answer: null',
    );
  });

  it('fails at once when the condition throws', async () => {
    const condition = (): boolean => {
      throw new Error('broken');
    };
    await expect(waitFor(condition, { what: 'nothing' })).rejects.toThrow('broken');
  });
});
