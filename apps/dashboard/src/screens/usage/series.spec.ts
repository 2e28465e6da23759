import type { UsageReport } from '@bullpen/contracts';
import { someTotals } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { costsByDay, OTHERS, seriesOf } from './series.js';
import { daysOf } from './usage-search.js';

const row = (key: string, costUsd: string, part: string | null = null): UsageReport['data'][number] => ({
  ...someTotals({ costUsd }),
  key,
  part,
});

describe('usage as a picture', () => {
  it('gives the dearest groups a colour, and one to all others', () => {
    const data = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key, index) => row(key, String(index + 1)));
    expect(seriesOf({ data })).toEqual(['g', 'f', 'e', 'd', 'c', OTHERS]);
    expect(seriesOf({ data: [row('a', '1'), row('free', '0')] })).toEqual(['a']);
  });

  it('adds up what has no colour of its own, and leaves out other days', () => {
    const data = [
      row('2026-01-01', '1', 'a'),
      row('2026-01-02', '2', 'x'),
      row('2026-01-02', '3', 'y'),
      row('2025-12-31', '9', 'a'),
    ];
    expect(costsByDay({ data }, ['2026-01-01', '2026-01-02'], ['a', OTHERS])).toEqual([
      [1, 0],
      [0, 5],
    ]);
  });

  it('counts days in UTC, up to today', () => {
    const days = daysOf('7d', Date.parse('2026-03-01T00:30:00Z'));
    expect([days.length, days[0], days[6]]).toEqual([7, '2026-02-23', '2026-03-01']);
  });
});
