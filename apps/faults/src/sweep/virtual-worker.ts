/** A worker of a world: claims wakes and runs the real agent loop, with ports that stand in line at the scheduler. */
import { approvesAnyCommand, NO_SETUP } from '@bullpen/core/testing/memory';
import { AppError, type Wake } from '@bullpen/contracts';
import {
  NO_SECRETS,
  OPEN_GATE,
  runTask,
  withoutCheckpoints,
  type CommitResult,
  type Lease,
  type LoopDeps,
  type ModelPrice,
  type Step,
  type TaskStore,
  type Workspace,
} from '@bullpen/core';
import { planTools, validateObject } from './plan-tools.js';
import { Actor, type Label } from './scheduler.js';
import type { Process, Surroundings } from './surroundings.js';
import type { RunWitness } from './witness.js';

const PRICE: ModelPrice = {
  inputNanoUsd: 2_000n,
  outputNanoUsd: 10_000n,
  cacheReadNanoUsd: 200n,
  cacheWrite5mNanoUsd: 2_500n,
  cacheWrite1hNanoUsd: 4_000n,
};
const HANG_MS = 20_000;
const LATE_MS = 1_500;

export class VirtualWorker implements Process {
  readonly actor: Actor;
  /** Runs in progress, with the wakes that they came from and what stops them. */
  private readonly runs = new Map<Lease, { readonly wake: number; readonly stop: AbortController }>();
  private readonly store: TaskStore;
  private draining = false;

  constructor(
    private readonly world: Surroundings,
    readonly slot: number,
    name: string,
  ) {
    this.actor = new Actor(name);
    this.store = this.watchedStore(world.backend.storeOf(this.actor));
  }

  get isBusy(): boolean {
    return this.actor.state !== 'dead' && this.runs.size > 0;
  }

  leases(): Lease[] {
    return [...this.runs.keys()].filter(({ taskId, epoch }) => {
      const task = this.world.witness.task(taskId);
      return task.live && task.epoch === epoch;
    });
  }

  /** Stops the runs whose lease the predicate names, as the lease keeper does when it learns of a loss or a cancel. */
  stopLost(concerns: (lease: Lease) => boolean): void {
    for (const [lease, { stop }] of this.runs) if (concerns(lease)) stop.abort();
  }

  drain(): void {
    this.draining = true;
  }

  /** Takes wakes until it dies or has drained. */
  async work(): Promise<void> {
    await Promise.all(Array.from({ length: this.world.backend.slots }, () => this.fillSlot()));
    this.world.replace(this);
  }

  private async fillSlot(): Promise<void> {
    while (!this.draining) await this.activate(await this.world.queue.next(this.actor));
  }

  private async activate(wake: Wake): Promise<void> {
    const { witness } = this.world;
    try {
      const lease = await this.store.claim(wake.taskId, wake.wake, this.actor.name);
      if (!lease) return;
      const { stop } = this.runs.get(lease) ?? { stop: new AbortController() };
      const end = await runTask(lease, this.deps(lease), stop.signal);
      this.world.trace(
        `${this.actor.name} ends ${lease.taskId} epoch ${lease.epoch}: ${end.kind === 'finished' ? end.outcome.cause : end.kind}`,
      );
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'database_unreachable')
        witness.object(
          'other',
          `a run threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
    } finally {
      this.letGo(wake);
    }
  }

  /** What it holds by a wake that it is done with; what is still good of that is renewed by nobody. */
  private letGo({ taskId, wake }: Wake): void {
    const good = this.leases();
    for (const [lease, run] of this.runs) {
      if (lease.taskId !== taskId || run.wake !== wake) continue;
      if (good.includes(lease)) this.world.loseLater(lease);
      this.runs.delete(lease);
    }
  }

  private deps(lease: Lease): LoopDeps {
    const { world, actor } = this;
    const { scheduler, witness, model, plan } = world;
    const run: RunWitness = { lease, answered: -1 };
    const pass = (label: string) => scheduler.pass(actor, `${lease.taskId} ${label}`, 'effect');
    const ports = { run, witness, model, pass };
    return {
      store: this.store,
      model: model.forRun({ run, pass, hang: (signal) => scheduler.sleep(actor, HANG_MS, signal) }),
      tools: (task) => planTools(task, plan, ports),
      setupTool: NO_SETUP,
      workspace: (task) => this.workspace(task.definition.name, pass),
      validate: validateObject,
      priceOf: () => PRICE,
      judgeCommand: approvesAnyCommand,
      gate: OPEN_GATE,
      masker: NO_SECRETS,
      now: () => scheduler.now,
      sleep: (ms, signal) => scheduler.sleep(actor, ms, signal),
      timeout: (ms) => {
        const controller = new AbortController();
        scheduler.at(ms, () => controller.abort());
        return controller.signal;
      },
      random: () => world.random.next(),
      newId: (prefix) => world.newId(prefix),
      hash: (text) => String(text.length),
      emit: () => undefined,
      holdsLease: () => !world.isLost(lease),
      shouldYield: () => this.draining,
    };
  }

  private async workspace(agent: string, pass: (label: string) => Promise<unknown>): Promise<Workspace> {
    await pass('prepares its workspace');
    if (!this.world.plan.tasks.some(({ definition, poison }) => poison && definition.name === agent))
      return withoutCheckpoints('/nowhere');
    this.world.trace(`${this.actor.name} is taken down by its task`);
    this.world.die(this);
    return this.dead();
  }

  /** The store with a door before and behind each call: what goes through is seen, and may be the last thing that happens. */
  private watchedStore(inner: TaskStore): TaskStore {
    return {
      claim: (taskId, wake, workerId) =>
        this.call(
          `claims ${taskId} wake ${wake}`,
          () => inner.claim(taskId, wake, workerId),
          (lease) => {
            if (!lease) return;
            this.runs.set(lease, { wake, stop: new AbortController() });
            this.world.witness.claimed(lease, wake);
            if (this.actor.state === 'dead') this.world.loseLater(lease);
          },
          'claim',
        ),
      load: (lease) =>
        this.call(
          `loads ${lease.taskId}`,
          () => inner.load(lease),
          (snapshot) => snapshot && this.world.witness.loaded(lease.taskId, snapshot.task),
          'load',
        ),
      commit: (lease, step) =>
        this.call(
          () => `commits ${lease.taskId} epoch ${lease.epoch}${summaryOf(step)}`,
          () => inner.commit(lease, step),
          (result) => this.committed(lease, step, result),
          step.end === null ? 'commit' : null,
        ),
      takeInbox: (by) => this.call(`takes the inbox of ${by.taskId}`, () => inner.takeInbox(by)),
      interactions: (taskId) =>
        this.call(`reads the interactions of ${taskId}`, () => inner.interactions(taskId)),
      layers: (task) => this.call('reads the policy', () => inner.layers(task)),
      children: (taskId, ids) => this.children(inner, taskId, ids),
      transitions: (taskId) => this.call(`reads the modes of ${taskId}`, () => inner.transitions(taskId)),
      workInHand: (taskId) => this.call(`looks at the work of ${taskId}`, () => inner.workInHand(taskId)),
      storedOutput: (taskId, callId) =>
        this.call(`reads an output of ${taskId}`, () => inner.storedOutput(taskId, callId)),
    };
  }

  /** What it hears of the children may be outdated by the time that it hears it. */
  private async children(inner: TaskStore, taskId: string, ids: readonly string[]) {
    const { random, scheduler } = this.world;
    const found = await this.call(`looks at children of ${taskId}`, () => inner.children(taskId, ids));
    if (random.chance(0.3)) await scheduler.sleep(this.actor, random.between(0, LATE_MS));
    return found;
  }

  private async call<T>(
    label: Label,
    work: () => Promise<T>,
    seen: (result: T) => void = () => undefined,
    shared: string | null = null,
  ): Promise<T> {
    await this.door(label, shared);
    // What was done counts, even where the process has died since and hears nothing of it.
    const done = work().then((result) => {
      seen(result);
      return { result };
    });
    const ended = await this.world.scheduler.real(Promise.race([done, this.actor.died]));
    if (!ended) return this.dead();
    await this.door(() => `${textOf(label)}: answer`);
    return ended.result;
  }

  private async door(label: Label, shared: string | null = null): Promise<void> {
    if ((await this.world.scheduler.pass(this.actor, label, 'store', shared)) === 'go') return;
    throw new AppError('database_unreachable', `cut off: ${textOf(label)}`, { retryable: true });
  }

  private committed(lease: Lease, step: Step, result: CommitResult): void {
    const { witness, world } = { witness: this.world.witness, world: this.world };
    witness.committed(lease, step, result);
    if (result.kind !== 'committed') return world.trace(`  ${result.kind}`);
    if (step.end?.kind !== 'suspend' && step.end?.kind !== 'retry') return;
    const opened = { taskId: lease.taskId, epoch: lease.epoch, waitId: step.end.waitId };
    witness.task(lease.taskId).wait = opened;
    if (step.end.wait.dueInMs !== null) world.dueLater(opened, step.end.wait.dueInMs);
  }

  private dead(): Promise<never> {
    return new Promise(() => undefined);
  }
}

function textOf(label: Label): string {
  return typeof label === 'string' ? label : label();
}

/** What is in a step, in short. */
function summaryOf(step: Step): string {
  const parts = [
    ...step.messages.map(({ role, seq }) => `${role} message ${seq}`),
    ...step.modelCalls.map(({ status }) => `model call ${status}`),
    ...step.toolCalls.map(({ tool, status }) => `${tool} ${status}`),
    ...step.children.map(({ id }) => `child ${id}`),
    ...(step.end === null ? [] : [step.end.kind === 'finish' ? step.end.outcome.state : step.end.kind]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
