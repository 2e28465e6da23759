import { describe, expect, it } from '@jest/globals';
import { settle } from './settled-rows.js';

const row = (id: string, state = 'running') => ({ id, state });
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join('');

describe('a list that is looked at', () => {
  it('patches rows where they stand, even where the order would move them', () => {
    const { rows } = settle([row('b'), row('a')], [row('a', 'failed'), row('b')]);
    expect(rows).toEqual([row('b'), row('a', 'failed')]);
  });

  it('lets new rows wait, and counts them', () => {
    const { rows, fresh } = settle([row('b'), row('a')], [row('d'), row('c'), row('b'), row('a')]);
    expect([ids(rows), fresh]).toEqual(['ba', 2]);
  });

  it('adds older ones at the end', () => {
    const { rows, fresh } = settle([row('c'), row('b')], [row('c'), row('b'), row('a')]);
    expect([ids(rows), fresh]).toEqual(['cba', 0]);
  });

  it('keeps what no longer fits until the next load', () => {
    const { rows, gone } = settle([row('b'), row('a')], [row('a')]);
    expect([ids(rows), [...gone]]).toEqual(['ba', ['b']]);
  });

  it('shows everything at first', () => {
    expect(ids(settle([], [row('b'), row('a')]).rows)).toBe('ba');
  });
});
