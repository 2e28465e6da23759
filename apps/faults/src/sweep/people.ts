/** What people do in a world: they speak, cancel, pause, resume, interrupt, and set deadlines that pass. */
import type { OpenedWait } from './backend.js';
import type { UserAct } from './plan.js';
import type { Surroundings } from './surroundings.js';
import type { VirtualWorker } from './virtual-worker.js';
import type { TaskWitness } from './witness.js';

/** How long workers need at most to hear of it; they also find it in the row. */
const HEARD_WITHIN_MS = 4_000;
/** How long a pause lasts. */
const PAUSED_MS = [50, 4_000] as const;
/** How often, and for how long, somebody looks for the right moment. */
const LOOK_MS = 30;
const LOOKS_MS = 4_000;

export class People {
  constructor(
    private readonly world: Surroundings,
    private readonly workers: readonly VirtualWorker[],
  ) {}

  /** Everybody does at their time what the plan says. */
  begin(acts: readonly UserAct[]): void {
    for (const act of acts) this.later(act.atMs, () => this.perform(act));
  }

  private async perform(act: UserAct): Promise<void> {
    const { backend, witness } = this.world;
    const births = witness.births();
    const target = births[act.target % births.length];
    if (!target) return;
    const looks = /_(late|lost|waiting)$/.test(act.kind);
    if (!looks) this.world.trace(`somebody: ${act.kind} ${target.id}`);
    switch (act.kind) {
      case 'send':
        return this.send(target);
      case 'send_late':
        return this.whenFound(
          act,
          (task) => this.isAboutToEnd(task),
          (task) => this.send(task),
        );
      case 'cancel':
        return this.cancel(target.id);
      case 'cancel_waiting':
        return this.whenFound(act, isWaiting, ({ id }) => this.cancel(id));
      case 'cancel_lost':
        return this.whenFound(act, wasLostAsking, ({ id }) => this.cancel(id));
      case 'pause':
        return this.pause(target.id, false);
      case 'pause_now':
        return this.pause(target.id, true);
      case 'pause_waiting':
        return this.whenFound(act, isWaiting, ({ id }) => this.pause(id, false));
      case 'interrupt':
        return this.interrupt(target);
      case 'interrupt_waiting':
        return this.whenFound(act, isWaiting, (task) => this.interrupt(task));
      case 'deadline':
        return backend.passDeadline(target.id);
      case 'early_timer':
        return this.makeDue(target, target.wait);
      case 'drain':
        this.workers[act.target % this.workers.length]?.drain();
    }
  }

  private async makeDue(target: TaskWitness, wait: OpenedWait | null): Promise<void> {
    target.waitedAt = -1;
    if (wait) await this.world.backend.makeDue(wait);
  }

  private async cancel(taskId: string): Promise<void> {
    const { witness, backend } = this.world;
    if (!(await backend.cancel(taskId))) return;
    // By the time that this is heard, somebody may have let it go on.
    const attempt = await backend.cancelledAttempt(taskId);
    if (attempt !== null) witness.cancelled(taskId, attempt);
    this.tellWorkers((id) => this.isBelow(id, taskId));
  }

  /** Each pause has a resume of its own. */
  private async pause(taskId: string, now: boolean): Promise<void> {
    const { backend, witness, random } = this.world;
    this.later(random.between(...PAUSED_MS), () => this.resume(taskId));
    const { attempt } = witness.task(taskId);
    if (!(await backend.pause(taskId, now))) return;
    // It may have ended instead, and gone on, by the time that this is heard.
    if (witness.task(taskId).attempt === attempt) witness.paused(taskId);
    if (now) this.tellHolders((id) => this.isBelow(id, taskId));
  }

  /** Once; only where it is unknown whether that was heard, again. */
  private async resume(taskId: string): Promise<void> {
    const { backend, witness, random } = this.world;
    witness.resumed(taskId);
    if ((await backend.resume(taskId)) === 'unknown')
      this.later(random.between(...PAUSED_MS), () => this.resume(taskId));
  }

  private async interrupt(target: TaskWitness): Promise<void> {
    const { backend, witness } = this.world;
    const message = this.message();
    const result = await backend.interrupt(target.id, message);
    target.sent.push({ text: message.text, accepted: result !== 'unknown' && result !== 'ended' });
    if (result !== 'interrupted') return;
    witness.interrupted(target.id);
    this.tellHolders((id) => id === target.id);
  }

  private async send(target: TaskWitness): Promise<void> {
    const message = this.message();
    const accepted = await this.world.backend.send(target.id, message);
    target.sent.push({ text: message.text, accepted });
  }

  private message(): { id: string; text: string } {
    const id = this.world.newId('inbox');
    return { id, text: `Please mind ${id}.` };
  }

  /** Looks again and again until there is such a task, or the time for it is over. */
  private async whenFound(
    act: UserAct,
    is: (task: TaskWitness) => boolean,
    then: (task: TaskWitness) => Promise<void>,
  ): Promise<void> {
    const found = this.world.witness.births().find(is);
    if (found) {
      this.world.trace(`somebody: ${act.kind} ${found.id}`);
      return then(found);
    }
    const atMs = act.atMs + LOOK_MS;
    if (atMs < LOOKS_MS) this.later(LOOK_MS, () => this.perform({ ...act, atMs }));
  }

  /** The request for the last answer of its plan is on its way. */
  private isAboutToEnd({ id, isAsking, assistantMessages }: TaskWitness): boolean {
    const { plan, rootId } = this.world;
    const steps = plan.tasks[0]?.steps.length ?? 0;
    return id === rootId && isAsking && assistantMessages >= steps - 1;
  }

  private isBelow(id: string | null, taskId: string): boolean {
    return id !== null && (id === taskId || this.isBelow(this.world.witness.task(id).parentId, taskId));
  }

  /** Whoever runs such a task, now or later, hears of it sooner or later. */
  private tellWorkers(concerns: (taskId: string) => boolean): void {
    const { random, scheduler } = this.world;
    for (const worker of this.workers)
      scheduler.at(random.between(0, HEARD_WITHIN_MS), () =>
        worker.stopLost(({ taskId }) => concerns(taskId)),
      );
  }

  /** The same for present leases only: a later one begins with what the row says. */
  private tellHolders(concerns: (taskId: string) => boolean): void {
    const { random, scheduler, witness } = this.world;
    const held = new Map(
      witness.births().flatMap(({ id, epoch, live }) => (live && concerns(id) ? [[id, epoch]] : [])),
    );
    for (const worker of this.workers)
      scheduler.at(random.between(0, HEARD_WITHIN_MS), () =>
        worker.stopLost(({ taskId, epoch }) => held.get(taskId) === epoch),
      );
  }

  private later(ms: number, work: () => Promise<void>): void {
    this.world.scheduler.at(ms, () => this.world.background(work()));
  }
}

function isWaiting({ live, waitedAt, assistantMessages }: TaskWitness): boolean {
  return !live && waitedAt === assistantMessages;
}

function wasLostAsking({ live, leasesLost, isAsking }: TaskWitness): boolean {
  return !live && leasesLost > 0 && isAsking;
}
