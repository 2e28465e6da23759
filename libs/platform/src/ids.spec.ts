import { TaskId } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { newId } from './ids.js';

describe('newId', () => {
  it('gives ids that the contract accepts', () => {
    expect(TaskId.safeParse(newId('task')).success).toBe(true);
    expect(newId('mcall')).toMatch(/^mcall_[0-9a-z]{26}$/);
  });

  it('gives distinct ids that sort in the order of their creation', () => {
    const ids = Array.from({ length: 1_000 }, () => newId('task'));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });
});
