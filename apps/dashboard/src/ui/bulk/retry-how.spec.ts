import { describe, expect, it } from '@jest/globals';
import { actionOf, AS_IT_WAS, roomsOf } from './retry-how.js';

describe('how many tasks are tried again', () => {
  it('asks for more of just the limits that the tasks have reached', () => {
    expect(roomsOf([{ cause: 'turn_limit' }, { cause: 'error' }, { cause: 'cost_limit' }])).toEqual([
      'turns',
      'costUsd',
    ]);
  });

  it('sends what was typed as limits, in the units of the API, and leaves out what is empty', () => {
    const limits = { turns: ' 40 ', minutes: '90', costUsd: '7.50', tokens: '' };
    expect(actionOf('retry', { mode: 'resume', limits })).toEqual({
      verb: 'retry',
      mode: 'resume',
      limits: { turns: 40, activeMs: 5_400_000, costUsd: '7.50' },
    });
    expect(actionOf('retry', { ...AS_IT_WAS, mode: 'new' })).toEqual({ verb: 'retry', mode: 'new' });
  });

  it('sends nothing while something is typed that is no limit', () => {
    for (const [room, text] of [
      ['turns', '4.5'],
      ['turns', '0'],
      ['costUsd', '1e3'],
      ['minutes', '-1'],
    ])
      expect(actionOf('retry', { mode: 'resume', limits: { [String(room)]: text } })).toBeNull();
  });

  it('has nothing to say about a cancel', () => {
    expect(actionOf('cancel', { mode: 'new', limits: { turns: '9' } })).toEqual({ verb: 'cancel' });
  });
});
