import { describe, expect, it } from '@jest/globals';
import { filterOf, isFiltered, TasksSearch } from './filter.js';

describe('the filter in an address', () => {
  it('leaves out what it does not know, and keeps the rest', () => {
    expect(TasksSearch.parse({ state: 'asleep', agent: 'coder', since: '9y', more: 1 })).toEqual({
      agent: 'coder',
    });
  });

  it('shows roots unless subtasks are asked for, or the tasks of a group of failures', () => {
    expect(filterOf({}, 0)).toEqual({ roots: true });
    expect(filterOf({ all: true }, 0)).toEqual({});
    expect(filterOf({ failure: '0123456789abcdef' }, 0)).toEqual({ failure: '0123456789abcdef' });
  });

  it('is the same for all looks within a minute', () => {
    const at = Date.parse('2026-01-02T00:00:10Z');
    expect(filterOf({ since: '24h' }, at)).toEqual({ roots: true, updatedAfter: '2026-01-01T00:00:00.000Z' });
    expect(filterOf({ since: '24h' }, at + 40_000)).toEqual(filterOf({ since: '24h' }, at));
  });

  it('finds what waits for people by why it waits', () => {
    expect(filterOf({ state: 'needs' }, 0)).toMatchObject({
      state: ['waiting'],
      waitReason: ['approval', 'answer', 'budget'],
    });
    expect([isFiltered({ all: true }), isFiltered({ q: 'x' })]).toEqual([false, true]);
  });
});
