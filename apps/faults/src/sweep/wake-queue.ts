/** The queue of a world: carries wakes, in no order, and now and then loses, doubles or delays one. */
import type { Wake } from '@bullpen/contracts';
import type { FaultSource } from './faults.js';
import type { Random } from './random.js';
import type { Actor, Scheduler } from './scheduler.js';

const LATE_MS = 5_000;

export class WakeQueue {
  private readonly waiting: Wake[] = [];
  private idle: (() => void)[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    private readonly faults: FaultSource,
  ) {}

  announce(wakes: readonly Wake[]): void {
    for (const wake of wakes) {
      switch (this.faults.deliver()) {
        case 'once':
          this.add(wake);
          break;
        case 'twice':
          this.add(wake);
          this.scheduler.at(this.random.between(0, LATE_MS), () => this.add(wake));
          break;
        case 'late':
          this.scheduler.at(this.random.between(0, LATE_MS), () => this.add(wake));
          break;
        case 'never':
          break;
      }
    }
  }

  /** A wake for a worker, as soon as there is one. */
  async next(actor: Actor): Promise<Wake> {
    for (;;) {
      while (this.waiting.length === 0) await new Promise<void>((resolve) => this.idle.push(resolve));
      await this.scheduler.pass(actor, 'looks for a wake', 'effect');
      const at = this.random.between(0, Math.max(0, this.waiting.length - 1));
      const [wake] = this.waiting.splice(at, 1);
      if (wake) return wake;
    }
  }

  private add(wake: Wake): void {
    const known = this.waiting.some((other) => other.taskId === wake.taskId && other.wake === wake.wake);
    if (!known) this.waiting.push(wake);
    const idle = this.idle;
    this.idle = [];
    for (const resume of idle) resume();
  }
}
