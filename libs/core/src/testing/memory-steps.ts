/** Tasks in memory as a run sees them: leases, steps, waits and what ends with them. What people do is in `memory-task-store.ts`. */
import { addTokens, isTerminal } from '@bullpen/contracts';
import { endEvents, isStart, requiresEmptyInbox, stateAfter } from '../decide/step-end.js';
import type { CommitResult, InboxMessage, Step, TaskStore, WorkInHand } from '../ports/store.js';
import type { Transition } from '../task/mode-context.js';
import {
  addTransition,
  childOutcomeOf,
  currentInteractions,
  dropFrom,
  move,
  newMemoryTask,
  notBegun,
  outputIn,
  snapshotOf,
  workInHandOf,
  told,
  withdrawFrom,
  type MemoryTask,
} from './memory-task.js';
import {
  isSatisfied,
  type ChildOutcome,
  type InteractionRecord,
  type Lease,
  type NewChild,
  type TaskRecord,
  type TaskSnapshot,
  type WaitSpec,
} from '../task/task.js';
import type { SetupEnd } from '../ports/workspace.js';
import type { NewCheckpoint } from '../task/checkpoint.js';
import type { PolicyLayers } from '../task/policy-layers.js';

export class MemorySteps implements TaskStore {
  /** What people say about approvals, for all tasks alike. */
  policyLayers: PolicyLayers = {};
  readonly tasks = new Map<string, MemoryTask>();
  /** Wakes that were queued and not yet claimed, oldest first. */
  readonly wakes: { taskId: string; wake: number }[] = [];
  /** The newest end of each workspace's setup command. */
  readonly setups = new Map<string, SetupEnd>();
  protected readonly accounts = new Map<string, { limit: bigint | null; spent: bigint; reserved: bigint }>();

  /** The task, or an error that names it. */
  get(id: string): MemoryTask {
    const task = this.tasks.get(id);
    if (!task) throw new RangeError(`no task ${id}`);
    return task;
  }

  account(rootId: string): { limit: bigint | null; spent: bigint; reserved: bigint } {
    const account = this.accounts.get(rootId);
    if (!account) throw new RangeError(`no account ${rootId}`);
    return account;
  }

  requestCancel(taskId: string): void {
    const task = this.get(taskId);
    for (const child of this.tasks.values())
      if (child.record.parentId === taskId) this.requestCancel(child.record.id);
    if (isTerminal(task.state)) return;
    task.record.cancelRequested = true;
    if (task.state === 'running') return;
    withdrawFrom(task);
    task.state = 'cancelled';
    task.outcome = { state: 'cancelled', cause: 'cancelled', output: null, partial: false, failure: null };
    this.closeEdges(task);
  }

  /** Pauses a tree: what runs stops at its next step boundary, the rest at once. */
  pause(taskId: string): void {
    for (const task of this.tree(taskId)) {
      if (isTerminal(task.state) || task.state === 'paused') continue;
      if (task.state === 'running') task.record.pauseRequested = true;
      else move(task, 'paused');
    }
  }

  claim(taskId: string, wake: number, workerId: string): Promise<Lease | null> {
    const task = this.tasks.get(taskId);
    if (!task || task.state !== 'queued' || task.wake !== wake) return Promise.resolve(null);
    task.state = 'running';
    task.epoch += 1;
    task.workerId = workerId;
    task.wait = null;
    task.events.push({ type: 'task.status_changed', data: { from: 'queued', to: 'running' } });
    task.events.push({
      type: 'attempt.started',
      data: { attempt: task.record.attempt, epoch: task.epoch, workerId },
    });
    return Promise.resolve({ taskId, epoch: task.epoch, workerId });
  }

  load(lease: Lease): Promise<TaskSnapshot | null> {
    const task = this.held(lease);
    if (!task) return Promise.resolve(null);
    return Promise.resolve(snapshotOf(task, this.policyLayers));
  }

  commit(lease: Lease, step: Step): Promise<CommitResult> {
    const task = this.held(lease);
    if (!task) return Promise.resolve({ kind: 'fenced' });
    const refused = this.refusal(task, step);
    if (refused) return Promise.resolve(refused);
    this.apply(task, structuredClone(step));
    const waits = step.end?.kind === 'suspend' || step.end?.kind === 'retry';
    const satisfied = waits && (this.leaves(task, step) || this.alreadySatisfied(step.end.wait, task));
    const end = satisfied ? null : step.end;
    this.leave(task, end);
    const { cancelRequested, pauseRequested, interrupted, rollback, autonomy, route, inboxPending } =
      task.record;
    return Promise.resolve({
      kind: satisfied ? 'not_suspended' : 'committed',
      cancelRequested,
      pauseRequested,
      interrupted,
      rollback,
      autonomy,
      route,
      modeSeq: task.transitions.length,
      inboxPending,
      eventSeq: task.events.length,
    });
  }

  takeInbox(lease: Lease): Promise<readonly InboxMessage[]> {
    const items = (this.held(lease)?.inbox ?? []).filter(
      ({ delivered, withdrawn }) => !delivered && !withdrawn,
    );
    for (const item of items) item.takenEpoch = lease.epoch;
    return Promise.resolve(items.map(({ message }) => message));
  }

  layers(): Promise<PolicyLayers> {
    return Promise.resolve(this.policyLayers);
  }

  interactions(taskId: string): Promise<readonly InteractionRecord[]> {
    return Promise.resolve(structuredClone(currentInteractions(this.get(taskId))));
  }

  children(taskId: string, ids: readonly string[]): Promise<readonly ChildOutcome[]> {
    const children = ids
      .flatMap((id) => this.tasks.get(id) ?? [])
      .filter(({ record }) => record.parentId === taskId);
    return Promise.resolve(
      children.map((child) => childOutcomeOf(child, this.checkpointsOf(child.record.id).at(-1)?.changes)),
    );
  }

  /** The states of a workspace, oldest first. */
  checkpointsOf(workspaceId: string): readonly NewCheckpoint[] {
    return [...this.tasks.values()]
      .flatMap(({ checkpoints }) => checkpoints)
      .filter((one) => one.workspaceId === workspaceId);
  }

  transitions(taskId: string): Promise<readonly Transition[]> {
    return Promise.resolve(structuredClone(this.get(taskId).transitions));
  }

  workInHand(taskId: string): Promise<WorkInHand> {
    return Promise.resolve(workInHandOf(this.get(taskId), this.tasks.values()));
  }

  storedOutput(taskId: string, callId: string): Promise<string | null> {
    return Promise.resolve(outputIn(this.get(taskId), callId));
  }

  private held(lease: Lease): MemoryTask | null {
    const task = this.tasks.get(lease.taskId);
    return task && task.state === 'running' && task.epoch === lease.epoch ? task : null;
  }

  private refusal(task: MemoryTask, step: Step): CommitResult | null {
    const pending = task.record.inboxPending - step.consumedInbox.length;
    if (requiresEmptyInbox(step.end) && pending > 0) return { kind: 'inbox_pending' };
    if (step.transition !== null && step.transition.seq !== task.transitions.length + 1)
      return { kind: 'mode_moved' };
    const { limit, spent, reserved } = this.account(task.record.rootId);
    const cost = step.usage.reduce((sum, use) => sum + (use.costNanoUsd ?? 0n), 0n);
    const after = spent + cost + reserved - step.releaseNanoUsd + step.reserveNanoUsd;
    if (step.reserveNanoUsd === 0n || limit === null || after <= limit) return null;
    return { kind: 'over_budget', limitNanoUsd: limit, spentNanoUsd: spent, reservedNanoUsd: reserved };
  }

  /** Nothing is worth waiting for: somebody stops the task, or wants it to leave what it does. The user's word it waits for nevertheless. */
  private leaves({ record }: MemoryTask, { patch, end }: Step): boolean {
    const awaits = end?.kind === 'suspend' && end.wait.reason === 'message';
    return record.cancelRequested || (record.interrupted && patch.interrupted !== false && !awaits);
  }

  private apply(task: MemoryTask, step: Step): void {
    const { record } = task;
    const cancelled = record.cancelRequested;
    const stopping = cancelled || record.pauseRequested;
    if (step.dropFrom !== null) dropFrom(task, step.dropFrom);
    task.messages.push(...step.messages);
    task.events.push(...step.events.filter((event) => !stopping || !isStart(event)));
    for (const call of step.modelCalls) task.modelCalls.set(call.id, call);
    for (const call of step.toolCalls)
      task.toolCalls.set(call.id, stopping ? notBegun(call, task.toolCalls.get(call.id)) : call);
    task.usage.push(...step.usage);
    task.checkpoints.push(...step.checkpoints);
    const { route: before } = record;
    Object.assign(
      record,
      Object.fromEntries(Object.entries(step.patch).filter(([, value]) => value !== undefined)),
    );
    // A switch that came between counts more.
    if (record.route?.version !== (before?.version ?? 0) + 1) record.route = before;
    if (step.patch.interrupted === false) record.rollback = false;
    for (const setup of step.setups) this.setups.set(setup.workspaceId, setup);
    if (step.transition !== null) addTransition(task, step.transition);
    this.charge(task, step);
    for (const { expiresInMs: _, title: __, ...open } of step.interactions)
      task.interactions.push({
        ...open,
        answer: null,
        answeredBy: null,
        withdrawn: false,
      });
    task.interactions = task.interactions.map((item) =>
      step.withdrawn.includes(item.id) && item.answer === null ? { ...item, withdrawn: true } : item,
    );
    for (const id of step.consumedInbox) {
      const item = task.inbox.find(({ message }) => message.id === id);
      if (item) item.delivered = true;
      record.inboxPending -= 1;
    }
    for (const child of step.children) this.spawn(task, child, cancelled);
    if (step.messages.length + step.toolCalls.length > 0) record.crashes = 0;
  }

  private charge(task: MemoryTask, step: Step): void {
    const { record } = task;
    const account = this.account(record.rootId);
    account.reserved += step.reserveNanoUsd - step.releaseNanoUsd;
    for (const { usage, costNanoUsd } of step.usage) {
      record.usage = addTokens(record.usage, usage);
      record.costNanoUsd += costNanoUsd ?? 0n;
      account.spent += costNanoUsd ?? 0n;
    }
  }

  private leave(task: MemoryTask, end: Step['end']): void {
    const state = stateAfter(end);
    if (end === null || state === null) return;
    // Who resumed or cancelled it since the run learned of a pause, wants another run.
    const asked = task.record.pauseRequested && !task.record.cancelRequested;
    const to = isTerminal(state) ? state : asked ? 'paused' : state === 'paused' ? 'queued' : state;
    task.events.push(...told(endEvents(end, task.record.attempt), to));
    task.state = to;
    task.workerId = null;
    task.record.leftBy = null;
    if (end.kind === 'suspend' || end.kind === 'retry') task.wait = end.wait;
    if (end.kind === 'retry') {
      task.record.attempt += 1;
      task.record.retries += 1;
    }
    task.record.pauseRequested = false;
    if (to === 'queued') {
      task.wake += 1;
      this.wakes.push({ taskId: task.record.id, wake: task.wake });
    }
    if (end.kind === 'finish') {
      task.outcome = end.outcome;
      for (const child of this.tasks.values())
        if (child.record.parentId === task.record.id) this.requestCancel(child.record.id);
      this.closeEdges(task);
    }
  }

  private closeEdges(child: MemoryTask): void {
    const parent = child.record.parentId === null ? undefined : this.tasks.get(child.record.parentId);
    if (!parent || isTerminal(parent.state)) return;
    const { id, title } = child.record;
    parent.events.push({
      type: 'subtask.ended',
      data: { taskId: id, title, state: child.state, cause: child.outcome?.cause ?? null },
    });
    const { state, wait } = parent;
    if (state === 'waiting' && wait?.reason === 'children' && this.alreadySatisfied(wait, parent))
      this.queue(parent);
  }

  protected alreadySatisfied(wait: WaitSpec, task: MemoryTask): boolean {
    if (wait.reason === 'message') return task.record.inboxPending > 0;
    if (wait.interactionIds)
      return task.interactions.some(
        ({ id, answer, withdrawn }) => wait.interactionIds?.includes(id) && (answer !== null || withdrawn),
      );
    if (wait.childIds.length === 0)
      return wait.dueInMs === null ? wait.providerKey === undefined : wait.dueInMs <= 0;
    const children = wait.childIds.map((id) => this.get(id));
    return isSatisfied(wait.mode, children);
  }

  protected *tree(taskId: string): Generator<MemoryTask> {
    yield this.get(taskId);
    for (const child of this.tasks.values())
      if (child.record.parentId === taskId) yield* this.tree(child.record.id);
  }

  protected queue(task: MemoryTask): void {
    move(task, 'queued');
    task.wake += 1;
    task.workerId = null;
    this.wakes.push({ taskId: task.record.id, wake: task.wake });
  }

  private spawn(parent: MemoryTask, child: NewChild, cancelled: boolean): void {
    const { id, rootId, depth, workspace, workspaceId: shared } = parent.record;
    parent.record.childCount += 1;
    const workspaceId = child.base === undefined ? shared : child.id;
    this.add(child.id, child, { parentId: id, rootId, depth: depth + 1, workspace, workspaceId });
    if (cancelled) this.requestCancel(child.id);
    else if (parent.record.pauseRequested) this.pause(child.id);
  }

  protected add(
    id: string,
    spec: Omit<NewChild, 'id' | 'callId'>,
    place: Pick<TaskRecord, 'parentId' | 'rootId' | 'depth' | 'workspace' | 'workspaceId'>,
  ): void {
    this.tasks.set(id, newMemoryTask(id, spec, place));
    this.wakes.push({ taskId: id, wake: 1 });
  }
}
