/** The states of the tasks of a tree as bars on one axis of time. Pure. */
import type { Timeline } from '@bullpen/contracts';
import { scaleLinear, scaleTime } from 'd3-scale';
import { lookOf, type StateLook } from '../../../ui/state.js';

export interface Bar {
  readonly look: StateLook;
  /** Of the axis, in percent. */
  readonly left: number;
  readonly width: number;
}

export interface Axis {
  readonly from: number;
  readonly to: number;
  /** Places of instants, in percent. */
  placeOf(at: number): number;
  /** Times without anything, that are shown as a narrow gap; where each is. */
  readonly gaps: readonly number[];
}

/** An idle time of the whole tree longer than this share of all is folded. */
const GAP_SHARE = 0.08;
/** What a folded gap still takes of the axis, in percent. */
const GAP_WIDTH = 1.2;
const LEAST_MS = 1_000;
/** Waiting for a person, a time or a provider is idle. */
const BUSY: readonly string[] = ['running', 'queued'];

interface Period {
  readonly from: number;
  readonly to: number;
}

/** The axis of a tree, until now while anything in it lives. `folds`: idle times of the whole tree are cut short. */
export function axisOf(timeline: Timeline, folds: boolean): Axis {
  const spans = timeline.tasks.flatMap((task) => task.spans);
  const now = Date.parse(timeline.now);
  const starts = spans.map(({ from }) => Date.parse(from));
  const from = Math.min(now, ...starts);
  const isOver = timeline.tasks.every(({ spans: own }) => isEnd(own.at(-1)?.state));
  const to = Math.max(from + LEAST_MS, isOver ? Math.max(...starts) : now);
  return scaleOf({ from, to }, folds ? idleTimes(timeline, { from, to }) : []);
}

/** Straight pieces: at full length where something happens, short where nothing does. */
function scaleOf({ from, to }: Period, idle: readonly Period[]): Axis {
  const idleMs = idle.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const perMs = (100 - idle.length * GAP_WIDTH) / (to - from - idleMs);
  const domain = [from];
  const range = [0];
  const go = (until: number, width: number): void => {
    domain.push(until);
    range.push((range.at(-1) ?? 0) + width);
  };
  for (const gap of idle) {
    go(gap.from, (gap.from - (domain.at(-1) ?? from)) * perMs);
    go(gap.to, GAP_WIDTH);
  }
  go(to, (to - (domain.at(-1) ?? from)) * perMs);
  const placeOf = scaleLinear(domain, range).clamp(true);
  return { from, to, placeOf: (at) => placeOf(at), gaps: idle.map((gap) => placeOf(gap.from)) };
}

/** When no task of the tree was at work, for long. */
function idleTimes({ tasks, now }: Timeline, all: Period): Period[] {
  const busy = tasks
    .flatMap(({ spans }) => spans.filter(({ state }) => BUSY.includes(state)))
    .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to ?? now) }))
    .sort((a, b) => a.from - b.from);
  const idle: Period[] = [];
  let end = all.from;
  for (const period of [...busy, { from: all.to, to: all.to }]) {
    if (period.from - end > (all.to - all.from) * GAP_SHARE) idle.push({ from: end, to: period.from });
    end = Math.max(end, period.to);
  }
  return idle;
}

/** The bars of one task. How it ended is the colour of its last work, and of a mark where there was none. */
export function barsOf(timeline: Timeline, taskId: string, axis: Axis): Bar[] {
  const spans = timeline.tasks.find((task) => task.taskId === taskId)?.spans ?? [];
  const end = spans.at(-1);
  const lastRun = spans.findLastIndex(({ state }) => state === 'running');
  return spans
    .flatMap(({ state, reason, from, to }, index): Bar[] => {
      if (isEnd(state) && to === null) return [];
      const left = axis.placeOf(Date.parse(from));
      const width = axis.placeOf(Date.parse(to ?? timeline.now)) - left;
      const isLast = index === lastRun && end !== undefined && end.state === 'completed';
      return [{ look: isLast ? 'completed' : lookOf({ state, waitReason: reason }), left, width }];
    })
    .concat(end?.state === 'failed' || end?.state === 'cancelled' ? [markOf(end, axis)] : []);
}

/** A failure takes no time; it is a mark where it happened. In percent. */
const MARK_WIDTH = 1.5;

function markOf({ state, from }: Timeline['tasks'][number]['spans'][number], axis: Axis): Bar {
  const left = axis.placeOf(Date.parse(from));
  return { look: state, left: Math.max(0, left - MARK_WIDTH), width: MARK_WIDTH };
}

function isEnd(state: string | undefined): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

export interface Tick {
  readonly at: number;
  readonly place: number;
}

/** About so many round times on the axis; `room`: how far they are from each other and from its ends, in percent. */
export function ticksOf(axis: Axis, count: number, room: number): Tick[] {
  const ticks: Tick[] = [];
  for (const time of scaleTime([axis.from, axis.to], [0, 1]).ticks(count)) {
    const place = axis.placeOf(time.getTime());
    const last = ticks.at(-1)?.place ?? 0;
    if (place - last >= room && place <= 100 - room) ticks.push({ at: time.getTime(), place });
  }
  return ticks;
}
