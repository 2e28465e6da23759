/**
 * A small installation in one process: a few workers that run the real agent loop, a queue, a reconciler, people who speak and
 * cancel, and faults. Everything in it waits for its turn at the scheduler.
 */
import type { Lease } from '@bullpen/core';
import type { Backend, OpenedWait, TellWakes } from './backend.js';
import type { FaultSource } from './faults.js';
import { People } from './people.js';
import type { Plan } from './plan.js';
import { PlanModel } from './plan-model.js';
import type { Random } from './random.js';
import { Scheduler, type Label, type Point, type Verdict } from './scheduler.js';
import type { Process, Surroundings } from './surroundings.js';
import { VirtualWorker } from './virtual-worker.js';
import { WakeQueue } from './wake-queue.js';
import { Witness } from './witness.js';

/** How long a lease lasts without renewal, in virtual ms. */
const LEASE_MS = 2_000;
const STALL_MS = 6_000;
/** When the store is asked about itself, in the midst of it all. */
const CHECK_WITHIN_MS = 3_000;
const MAX_STEPS = 10_000;
/** Rounds of the reconciler without anything new, after which nothing will come: three minutes, and no wait is longer than one. */
const IDLE_ROUNDS = 120;

export interface WorldOptions {
  /** Marks the ids of this world: many may share a database. */
  readonly name: string;
  readonly plan: Plan;
  readonly random: Random;
  readonly faults: FaultSource;
  readonly open: (tell: TellWakes, world: Surroundings) => Backend;
  readonly trace: (line: () => string) => void;
}

/** What happened in a world, in numbers. */
export interface WorldCounts {
  steps: number;
  deaths: number;
  stalls: number;
  cuts: number;
}

export class World implements Surroundings {
  readonly witness = new Witness();
  readonly scheduler: Scheduler;
  readonly queue: WakeQueue;
  readonly model: PlanModel;
  readonly plan: Plan;
  readonly backend: Backend;
  readonly random: Random;
  readonly counts: WorldCounts = { steps: 0, deaths: 0, stalls: 0, cuts: 0 };
  readonly rootId: string;
  /** By slot: the present one. Those before it are dead. */
  private readonly workers: VirtualWorker[] = [];
  private started = 0;
  private readonly lost = new Set<string>();
  private ids = 0;

  constructor(private readonly options: WorldOptions) {
    const { plan, random, faults, trace } = options;
    this.plan = plan;
    this.random = random.fork();
    this.scheduler = new Scheduler({
      random: random.fork(),
      decide: (point) => this.decide(point),
      trace: (line) => trace(() => `${this.scheduler.steps} ${this.scheduler.now} ${line()}`),
      maxSteps: MAX_STEPS,
    });
    this.queue = new WakeQueue(this.scheduler, random.fork(), faults);
    this.model = new PlanModel(plan, this.witness);
    this.backend = options.open((wakes) => this.queue.announce(wakes), this);
    this.rootId = this.newId('task');
  }

  /** Lives until every task has ended and everybody is at rest. */
  async run(): Promise<'over' | 'stuck'> {
    const [root] = this.plan.tasks;
    if (!root) throw new RangeError('a plan without tasks');
    await this.backend.create(this.rootId, root.definition, 'Play plan 0.');
    this.witness.born(this.rootId, null);
    // Where a process has several slots, fewer of them do the same work.
    const workers = this.backend.slots === 1 ? this.plan.workers : Math.ceil(this.plan.workers / 2);
    for (let slot = 0; slot < workers; slot += 1) this.startWorker(slot);
    new People(this, this.workers).begin(this.plan.acts);
    this.reconcileLater();
    this.scheduler.at(this.random.between(0, CHECK_WITHIN_MS), () => this.background(this.selfCheck()));
    const end = await this.scheduler.run(() => this.isOver());
    this.counts.steps = this.scheduler.steps;
    return end;
  }

  newId(prefix: string): string {
    this.ids += 1;
    return `${prefix}_${this.options.name}${String(this.ids).padStart(4, '0')}`;
  }

  trace(line: Label): void {
    this.options.trace(
      () => `${this.scheduler.steps} ${this.scheduler.now} ${typeof line === 'string' ? line : line()}`,
    );
  }

  die(worker: Process): void {
    worker.actor.die();
    this.counts.deaths += 1;
    for (const lease of worker.leases()) this.loseLater(lease);
    this.scheduler.at(this.random.between(0, LEASE_MS), () => this.startWorker(worker.slot));
  }

  replace(worker: Process): void {
    worker.actor.die();
    this.scheduler.at(this.random.between(0, LEASE_MS), () => this.startWorker(worker.slot));
  }

  loseLater(lease: Lease): void {
    this.scheduler.at(this.random.between(0, LEASE_MS), () => {
      this.lost.add(`${lease.taskId} ${lease.epoch}`);
      this.background(this.backend.loseLease(lease));
    });
  }

  dueLater(wait: OpenedWait, dueInMs: number): void {
    this.scheduler.at(dueInMs, () => this.background(this.backend.makeDue(wait)));
  }

  background(work: Promise<unknown>): void {
    const told = work.catch((error: unknown) => {
      this.witness.object('other', `the world failed: ${String(error)}`);
    });
    void this.scheduler.real(told);
  }

  private startWorker(slot: number): void {
    this.started += 1;
    const worker = new VirtualWorker(this, slot, `worker${this.started}`);
    this.workers[slot] = worker;
    void worker.work();
  }

  decide(point: Point): Verdict {
    const verdict = this.options.faults.decide(point);
    if (verdict === 'stall' && point.kind === 'statement') return 'go';
    const worker = this.workers.find(({ actor }) => actor === point.actor);
    if (!worker) return verdict === 'go' ? 'go' : 'cut';
    if (verdict === 'die') this.die(worker);
    if (verdict === 'stall') this.stall(worker);
    if (verdict === 'cut') {
      if (point.kind === 'effect') return 'go';
      this.counts.cuts += 1;
    }
    return verdict;
  }

  /** A process stops as with SIGSTOP, and goes on later as if nothing had been: by then others may have its tasks. */
  private stall(worker: VirtualWorker): void {
    worker.actor.state = 'stalled';
    this.counts.stalls += 1;
    if (this.random.chance(0.75)) for (const lease of worker.leases()) this.loseLater(lease);
    const notices = this.random.chance(0.5);
    this.scheduler.at(this.random.between(0, STALL_MS), () => {
      if (worker.actor.state !== 'stalled') return;
      this.trace(`${worker.actor.name} goes on`);
      worker.actor.state = 'alive';
      if (notices) worker.stopLost((lease) => this.isLost(lease));
    });
  }

  /** By what the reconciler did. */
  isLost({ taskId, epoch }: Lease): boolean {
    const task = this.witness.task(taskId);
    return task.epoch !== epoch || !task.live;
  }

  private reconcileLater(idle = 0): void {
    if (idle > IDLE_ROUNDS) this.scheduler.giveUp();
    const before = this.witness.seen;
    this.scheduler.at(this.random.between(500, 2_500), () => {
      const jobs = [
        () => this.expireLeases(),
        () => this.backend.fireDueWaits(),
        () => this.backend.endOverdue(),
        async () => this.queue.announce(await this.backend.dueWakes()),
      ];
      for (const job of jobs) this.scheduler.at(0, () => this.background(job()));
      this.reconcileLater(this.witness.seen === before ? idle + 1 : 0);
    });
  }

  /** What the store says of itself, in the midst of it all. */
  private async selfCheck(): Promise<void> {
    for (const text of await this.backend.selfCheck()) this.witness.object('other', text);
  }

  private async expireLeases(): Promise<void> {
    for (const taskId of await this.backend.expireLeases()) {
      const { epoch } = this.witness.task(taskId);
      this.trace(`the lease of ${taskId} has run out`);
      this.witness.taken(taskId, this.lost.has(`${taskId} ${epoch}`));
    }
  }

  private async isOver(): Promise<boolean> {
    const atRest = this.workers.every(({ actor, isBusy }) => actor.state !== 'stalled' && !isBusy);
    return atRest && (await this.backend.allEnded());
  }
}
