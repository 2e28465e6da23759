/** What workers and people in a world know of it. The world knows them; this keeps them from knowing all of it. */
import type { Lease } from '@bullpen/core';
import type { Backend, OpenedWait } from './backend.js';
import type { Plan } from './plan.js';
import type { PlanModel } from './plan-model.js';
import type { Random } from './random.js';
import type { Actor, Label, Point, Scheduler, Verdict } from './scheduler.js';
import type { WakeQueue } from './wake-queue.js';
import type { Witness } from './witness.js';

/** A process of the world, in its slot. */
export interface Process {
  readonly actor: Actor;
  readonly slot: number;
  /** Leases that it holds and that are still good. */
  leases(): Lease[];
}

export interface Surroundings {
  readonly backend: Backend;
  readonly witness: Witness;
  readonly scheduler: Scheduler;
  readonly queue: WakeQueue;
  readonly model: PlanModel;
  readonly plan: Plan;
  readonly random: Random;
  readonly rootId: string;
  newId(prefix: string): string;
  trace(line: Label): void;
  /** A process is gone: its leases run out, and another one starts in its place. */
  die(process: Process): void;
  /** A process ended in order; another one starts in its place. */
  replace(process: Process): void;
  /** Nobody renews this lease any more. */
  loseLater(lease: Lease): void;
  /** A wait begins that ends by itself. */
  dueLater(wait: OpenedWait, dueInMs: number): void;
  /** Work that nobody in the world waits for. */
  background(work: Promise<unknown>): void;
  /** What becomes of somebody at a port. Processes other than workers only lose connections. */
  decide(point: Point): Verdict;
  /** Whether the lease may write no more. */
  isLost(lease: Lease): boolean;
}
