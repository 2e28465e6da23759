/**
 * Decides who goes next. Every asynchronous port call of a virtual process stands in line here, so that all interleavings come
 * from one seed: one caller is let through, everything that follows from it settles, then the next one is chosen. Time is
 * virtual; it moves a little with each step, and jumps when nobody is in line.
 */
import { setImmediate as afterMicrotasks } from 'node:timers/promises';
import type { Random } from './random.js';

/** A virtual process. The dead and the stalled never get through; a stalled one may come back. */
export class Actor {
  state: 'alive' | 'stalled' | 'dead' = 'alive';
  /** Resolves when the actor dies. */
  readonly died: Promise<void>;
  private bury: () => void = () => undefined;

  constructor(readonly name: string) {
    this.died = new Promise((resolve) => (this.bury = resolve));
  }

  die(): void {
    this.state = 'dead';
    this.bury();
  }
}

/** What becomes of somebody who stands in line: let through, dead, stopped for a while, or (at the store) cut off from it. */
export type Verdict = 'go' | 'die' | 'stall' | 'cut';

/** What is about to happen, in words; a function where the words cost something. */
export type Label = string | (() => string);

/**
 * A place where something may go wrong. `store`: a call of the store, which can lose its connection; `statement`: one of the
 * statements that the call consists of, which can lose it, too, but nobody is stopped there: it may hold locks.
 */
export interface Point {
  readonly actor: Actor;
  readonly label: Label;
  readonly kind: 'store' | 'effect' | 'statement';
}

interface InLine extends Point {
  /** What it asks for, where others of its process that ask for the same may go with it, at the same moment; null: it goes alone. */
  readonly shared: string | null;
  readonly go: (outcome: 'go' | 'cut') => void;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export interface SchedulerOptions {
  readonly random: Random;
  readonly decide: (point: Point) => Verdict;
  /** Called with a line for each step. */
  readonly trace: (line: () => string) => void;
  /** Steps after which a world that has not ended is stuck, whatever goes on in it. */
  readonly maxSteps: number;
}

/** Longest time that a step takes, in virtual ms. */
const MAX_STEP_MS = 30;

export class Scheduler {
  /** Virtual milliseconds. */
  now = 1_000_000;
  steps = 0;
  private inLine: InLine[] = [];
  private due: (() => void)[] = [];
  private timers: Timer[] = [];
  private hopeless = false;
  private readonly outside = new Set<Promise<unknown>>();

  constructor(private readonly options: SchedulerOptions) {}

  /** Stands in line. Never resolves for an actor that dies; `cut`: the connection is lost, the actor lives. */
  pass(actor: Actor, label: Label, kind: Point['kind'], shared: string | null = null): Promise<'go' | 'cut'> {
    return new Promise((go) => this.inLine.push({ actor, label, kind, shared, go }));
  }

  /** Calls `fire` at a time, give or take what else is in line. */
  at(ms: number, fire: () => void): void {
    const timer = { at: this.now + Math.max(0, ms), fire };
    const place = this.timers.findLastIndex(({ at }) => at <= timer.at) + 1;
    this.timers.splice(place, 0, timer);
  }

  /** Resolves after `ms`, or at once when the signal fires. Never resolves for an actor that dies or while it is stalled. */
  sleep(actor: Actor, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        this.inLine.push({ actor, label: 'wakes up', kind: 'effect', shared: null, go: () => resolve() });
      };
      if (signal?.aborted) return wake();
      signal?.addEventListener('abort', wake, { once: true });
      this.at(ms, () => !signal?.aborted && wake());
    });
  }

  /** Real work outside of the virtual world, such as a statement in a database: no step is taken before it has ended. */
  async real<T>(work: Promise<T>): Promise<T> {
    this.outside.add(work);
    try {
      return await work;
    } finally {
      this.outside.delete(work);
    }
  }

  /** Nothing will change any more: the present run ends as stuck. */
  giveUp(): void {
    this.hopeless = true;
  }

  /** Takes steps until `over` says so; it is asked whenever nobody is in line. `stuck`: nothing led there. */
  async run(over: () => Promise<boolean>): Promise<'over' | 'stuck'> {
    await this.settle();
    while (this.steps < this.options.maxSteps && !this.hopeless) {
      this.releaseTimers();
      if (!this.step()) {
        if (await over()) return 'over';
        if (!this.jump()) return 'stuck';
      }
      await this.settle();
    }
    return 'stuck';
  }

  /** Lets one go. False when nobody can. */
  private step(): boolean {
    const { random, trace } = this.options;
    this.inLine = this.inLine.filter(({ actor }) => actor.state !== 'dead');
    const able = this.inLine.filter(({ actor }) => actor.state === 'alive');
    const choices = able.length + this.due.length;
    if (choices === 0) return false;
    this.steps += 1;
    this.now += random.between(0, MAX_STEP_MS);
    const at = random.between(0, choices - 1);
    const first = able[at];
    if (first === undefined) {
      this.due.splice(at - able.length, 1)[0]?.();
      return true;
    }
    const chosen = this.insteadOf(first, able);
    const verdict = this.options.decide(chosen);
    trace(() => described(chosen, verdict));
    if (verdict === 'stall') return true; // It stays in line until it is let go on.
    this.inLine.splice(this.inLine.indexOf(chosen), 1);
    if (verdict !== 'die') chosen.go(verdict);
    if (verdict === 'go' && chosen.shared !== null) this.letGoWith(chosen);
    return true;
  }

  /** What can be shared mostly waits until the others of its process have come as far, too. */
  private insteadOf(first: InLine, able: readonly InLine[]): InLine {
    if (first.shared === null) return first;
    const before = able.find(({ actor, shared }) => actor === first.actor && shared !== first.shared);
    return before && this.options.random.chance(0.8) ? before : first;
  }

  /** What a process asks for at the same moment it may do together. Only of one sort: a process that dies has no statement of another on its way. */
  private letGoWith({ actor, shared }: InLine): void {
    const { random, trace } = this.options;
    const others = this.inLine.filter((other) => other.actor === actor && other.shared === shared);
    for (const other of others) {
      if (random.chance(0.2)) continue;
      trace(() => `  with it: ${described(other, 'go')}`);
      this.inLine.splice(this.inLine.indexOf(other), 1);
      other.go('go');
    }
  }

  private releaseTimers(): void {
    while ((this.timers[0]?.at ?? Infinity) <= this.now) {
      const timer = this.timers.shift();
      if (timer) this.due.push(timer.fire);
    }
  }

  /** To the time of the next timer. */
  private jump(): boolean {
    const next = this.timers[0];
    if (!next) return false;
    this.now = Math.max(this.now, next.at);
    return true;
  }

  /** Waits until all that follows from a step has happened: every process stands in line, sleeps or has ended. */
  private async settle(): Promise<void> {
    await afterMicrotasks();
    while (this.outside.size > 0) {
      await Promise.allSettled(this.outside);
      await afterMicrotasks();
    }
  }
}

function described({ actor, label }: Point, verdict: Verdict): string {
  const what = typeof label === 'string' ? label : label();
  return `${actor.name} ${what}${verdict === 'go' ? '' : `: ${verdict.toUpperCase()}`}`;
}
