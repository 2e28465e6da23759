/** Bars of a tree on one axis of time. */
import type { TaskState, Timeline, WaitReason } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { axisOf, barsOf, ticksOf } from './lanes.js';

const START = Date.parse('2026-01-01T13:30:00Z');
const at = (minute: number) => new Date(START + minute * 60_000).toISOString();
type Step = readonly [TaskState, number, WaitReason?];

function aTimeline(tasks: Record<string, readonly Step[]>, now: number): Timeline {
  return {
    rootId: `task_${'0'.repeat(26)}`,
    now: at(now),
    tasks: Object.entries(tasks).map(([taskId, steps]) => ({
      taskId,
      spans: steps.map(([state, from, reason], index) => ({
        state,
        reason: reason ?? null,
        from: at(from),
        to: steps[index + 1] === undefined ? null : at(steps[index + 1]?.[1] ?? 0),
      })),
    })),
  };
}

const FAMILY = aTimeline(
  {
    root: [
      ['queued', 0],
      ['running', 2],
      ['waiting', 10, 'children'],
      ['running', 90],
    ],
    asks: [
      ['queued', 10],
      ['running', 12],
      ['waiting', 20, 'approval'],
    ],
    done: [
      ['queued', 10],
      ['running', 11],
      ['completed', 20],
    ],
    bad: [
      ['queued', 10],
      ['running', 12],
      ['failed', 15],
    ],
  },
  100,
);

describe('the lanes of a tree', () => {
  it('show when each task worked, waited, and for whom, until now', () => {
    const axis = axisOf(FAMILY, false);
    const bars = (id: string) => barsOf(FAMILY, id, axis).map(({ look, left, width }) => [look, left, width]);
    expect(bars('root')).toEqual([
      ['queued', 0, 2],
      ['running', 2, 8],
      ['waiting', 10, 80],
      ['running', 90, 10],
    ]);
    expect(bars('asks').at(-1)).toEqual(['needs', 20, 80]);
    expect(bars('done')).toEqual([
      ['queued', 10, 1],
      ['completed', 11, 9],
    ]);
    expect(bars('bad').at(-1)).toEqual(['failed', 13.5, 1.5]);
  });

  it('end with the last thing that happened when all is over', () => {
    const over = aTimeline(
      {
        root: [
          ['running', 0],
          ['completed', 10],
        ],
      },
      100,
    );
    expect(barsOf(over, 'root', axisOf(over, false))).toEqual([{ look: 'completed', left: 0, width: 100 }]);
  });

  it('fold times in which nothing of the tree worked, and keep everything in order and on the axis', () => {
    const axis = axisOf(FAMILY, true);
    expect(axis.gaps.length).toBe(1);
    expect(axis.placeOf(START + 85 * 60_000)).toBeLessThan(70);
    const minutes = fc.integer({ min: -5, max: 110 });
    fc.assert(
      fc.property(minutes, minutes, (a, b) => {
        const [x, y] = [axis.placeOf(START + a * 60_000), axis.placeOf(START + b * 60_000)];
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(Math.max(x, y)).toBeLessThanOrEqual(100.000_1);
        if (a <= b) expect(x).toBeLessThanOrEqual(y + 1e-9);
      }),
    );
  });

  it('have round times on their axis that do not touch', () => {
    const ticks = ticksOf(axisOf(FAMILY, false), 4, 18);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.every(({ at: time }) => time % 60_000 === 0)).toBe(true);
    expect(ticks.every(({ place }, index) => place - (ticks[index - 1]?.place ?? 0) >= 18)).toBe(true);
  });
});
