/**
 * The task store in memory: the same rules as the Postgres one, for loop tests that must be fast and for crash sweeps that stop
 * between any two steps. Passes the same contract suite.
 */
import {
  addTokens,
  nanoUsdOf,
  type AgentDefinition,
  type Autonomy,
  type InteractionAnswer,
  type PlanPayload,
  type Json,
  type RewindTask,
  type WorkspaceSpec,
} from '@bullpen/contracts';
import {
  endEvents,
  stateAfter,
  type CommitResult,
  type InboxMessage,
  type Step,
  type TaskStore,
} from '../store.js';
import {
  childOutcomeOf,
  conversation,
  currentInteractions,
  dropFrom,
  exchangeStarts,
  move,
  newMemoryTask,
  notStarted,
  type MemoryTask,
} from './memory-task.js';
import { isSatisfied } from '../harness-tools.js';
import { planTodos } from '../people-tools.js';
import { isOpen } from '../next-move.js';
import { autonomyNotice } from '../prompts.js';
import { isAtRest, rewindPoint, type RewindPoint } from '../rewind.js';
import {
  isTerminal,
  type ChildOutcome,
  type InteractionRecord,
  type Lease,
  type NewChild,
  type TaskRecord,
  type TaskSnapshot,
  type WaitSpec,
} from '../task.js';

export interface NewMemoryTask {
  readonly id: string;
  readonly definition: AgentDefinition;
  readonly prompt?: string;
  readonly input?: Json;
  readonly workspace?: WorkspaceSpec;
}

export class MemoryTaskStore implements TaskStore {
  readonly tasks = new Map<string, MemoryTask>();
  /** Wakes that were queued and not yet claimed, oldest first. */
  readonly wakes: { taskId: string; wake: number }[] = [];
  private readonly accounts = new Map<string, { limit: bigint | null; spent: bigint; reserved: bigint }>();

  create({ id, definition, prompt = 'Do it.', input, workspace }: NewMemoryTask): void {
    this.accounts.set(id, {
      limit: definition.limits.costUsd === null ? null : nanoUsdOf(definition.limits.costUsd),
      spent: 0n,
      reserved: 0n,
    });
    const spec = { title: prompt.slice(0, 80), prompt, input: input ?? null, definition };
    this.add(id, spec, { parentId: null, rootId: id, depth: 0, workspace: workspace ?? { kind: 'empty' } });
  }

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

  /** Takes a wake off the list and claims it. Null when there is none or it is stale. */
  async claimNext(workerId: string): Promise<Lease | null> {
    const wake = this.wakes.shift();
    return wake ? this.claim(wake.taskId, wake.wake, workerId) : null;
  }

  /** What the reaper does when a worker is lost. */
  expire(taskId: string): void {
    const task = this.get(taskId);
    if (task.state !== 'running') return;
    task.record.crashes += 1;
    this.queue(task);
  }

  /** What the timer does when a wait's time has come. */
  fireDue(taskId: string): void {
    const task = this.get(taskId);
    if (task.state === 'waiting') this.queue(task);
  }

  requestCancel(taskId: string): void {
    const task = this.get(taskId);
    for (const child of this.tasks.values())
      if (child.record.parentId === taskId) this.requestCancel(child.record.id);
    if (isTerminal(task.state)) return;
    task.record.cancelRequested = true;
    if (task.state === 'running') return;
    task.state = 'cancelled';
    task.outcome = { state: 'cancelled', cause: 'cancelled', output: null, partial: false, failure: null };
    this.closeEdges(task);
  }

  /** Pauses a tree: what runs stops at its next border, the rest at once. */
  pause(taskId: string): void {
    for (const task of this.tree(taskId)) {
      if (isTerminal(task.state) || task.state === 'paused') continue;
      if (task.state === 'running') task.record.pauseRequested = true;
      else move(task, 'paused');
    }
  }

  /** Lets a paused tree go on: what waited waits again, unless its wait is over by now. */
  resume(taskId: string): void {
    for (const task of this.tree(taskId)) {
      task.record.pauseRequested = false;
      if (task.state !== 'paused') continue;
      if (task.wait !== null && !this.alreadySatisfied(task.wait, task)) move(task, 'waiting');
      else this.queue(task);
    }
  }

  /** Leaves what a task does now, or with `rollback` drops it; a message says how to go on. */
  interrupt(taskId: string, message?: InboxMessage, rollback = false): void {
    const task = this.get(taskId);
    task.record.interrupted = true;
    task.record.rollback ||= rollback;
    if (message) this.send(taskId, message);
    if (task.state === 'waiting') this.queue(task);
  }

  send(taskId: string, message: InboxMessage): void {
    const task = this.get(taskId);
    task.inbox.push({ message, delivered: false, withdrawn: false, takenEpoch: null });
    const data = { inboxId: message.id, text: message.text };
    if (message.source !== 'notice') task.events.push({ type: 'message.queued', data });
    task.record.inboxPending += 1;
    if (task.state === 'waiting' && task.wait?.reason === 'message') this.queue(task);
  }

  /** Changes a message that is not delivered yet; null withdraws it. */
  changeMessage(taskId: string, id: string, text: string | null): 'changed' | 'delivered' | 'withdrawn' {
    const task = this.get(taskId);
    const item = task.inbox.find(({ message }) => message.id === id);
    if (!item) throw new RangeError(`no message ${id}`);
    if (item.withdrawn) return 'withdrawn';
    if (item.delivered || (task.state === 'running' && item.takenEpoch === task.epoch)) return 'delivered';
    if (text === null) {
      item.withdrawn = true;
      task.record.inboxPending -= 1;
      task.events.push({ type: 'message.withdrawn', data: { inboxId: id } });
    } else {
      item.message = { ...item.message, text };
      task.events.push({ type: 'message.edited', data: { inboxId: id, text } });
    }
    return 'changed';
  }

  /** Drops the newest exchanges of a task at rest. */
  rewind(taskId: string, request: RewindTask): RewindPoint {
    const task = this.get(taskId);
    if (!isAtRest(task.state, task.wait?.reason ?? null)) return { ok: false, reason: 'busy' };
    const point = rewindPoint(exchangeStarts(task), request);
    if (!point.ok) return point;
    const gone = new Set(dropFrom(task, point.fromSeq).map(({ id }) => id));
    const calls = [...task.toolCalls.values()].filter(({ messageId }) => gone.has(messageId));
    for (const call of calls.filter(isOpen))
      task.toolCalls.set(call.id, { ...call, status: 'canceled', isError: true, output: 'Taken back.' });
    task.interactions = task.interactions.map((item) => ({ ...item, withdrawn: item.answer === null }));
    Object.assign(task.record, { phase: 'work', pendingCause: null, repairs: 0, mistakes: 0 });
    Object.assign(task.record, { interrupted: false, rollback: false });
    if (task.wait?.reason !== 'message') task.wait = null;
    task.events.push({ type: 'history.rewound', data: { reason: 'rewind', messageIds: [...gone] } });
    return point;
  }

  /** A person answers; the first answer counts. False: there is nothing (any more) to answer. */
  answer(taskId: string, interactionId: string, answer: InteractionAnswer, by = 'somebody'): boolean {
    const task = this.get(taskId);
    const at = task.interactions.findIndex(({ id }) => id === interactionId);
    const item = task.interactions[at];
    if (!item || item.answer !== null || item.withdrawn || isTerminal(task.state)) return false;
    task.interactions[at] = { ...item, answer, answeredBy: by };
    task.events.push({
      type: 'interaction.closed',
      data: {
        interactionId,
        kind: item.kind,
        state: by === 'expiry' ? 'expired' : 'answered',
        by,
        answer: answer as Record<string, Json>,
      },
    });
    if (item.kind === 'budget' && 'limitUsd' in answer)
      this.account(task.record.rootId).limit = nanoUsdOf(answer.limitUsd);
    if (item.kind === 'plan' && 'autonomy' in answer) {
      task.record.autonomy = answer.autonomy;
      task.record.todos = planTodos(answer, item.payload as PlanPayload);
    }
    if (task.state === 'waiting' && task.wait?.interactionIds?.includes(interactionId)) this.queue(task);
    return true;
  }

  /** The time of an open interaction has come: its declared default counts. */
  expireInteraction(taskId: string, interactionId: string): void {
    const item = this.get(taskId).interactions.find(({ id }) => id === interactionId);
    if (item?.expiryAnswer) this.answer(taskId, interactionId, item.expiryAnswer, 'expiry');
  }

  /** A person switches the autonomy; what waits for an answer looks again. */
  switchAutonomy(taskId: string, autonomy: Autonomy): void {
    const task = this.get(taskId);
    task.record.autonomy = autonomy;
    this.send(taskId, {
      id: `notice:${task.inbox.length}`,
      text: autonomyNotice(autonomy),
      source: 'notice',
    });
    if (task.state === 'waiting' && task.wait?.interactionIds) this.queue(task);
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
    const messages = conversation(task);
    const newest = messages.findLast(({ role }) => role === 'assistant');
    return Promise.resolve(
      structuredClone({
        task: task.record,
        messages,
        messageSeq: task.messages.length,
        toolCalls: [...task.toolCalls.values()]
          .filter(({ messageId }) => messageId === newest?.id)
          .sort((a, b) => a.position - b.position),
        modelCalls: [...task.modelCalls.values()].filter(
          (call) => call.turn === task.record.turns + 1 && call.status !== 'done',
        ),
        interactions: currentInteractions(task),
      }),
    );
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
    const { cancelRequested, pauseRequested, interrupted, rollback, autonomy, inboxPending } = task.record;
    return Promise.resolve({
      kind: satisfied ? 'not_suspended' : 'committed',
      cancelRequested,
      pauseRequested,
      interrupted,
      rollback,
      autonomy,
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

  interactions(taskId: string): Promise<readonly InteractionRecord[]> {
    return Promise.resolve(structuredClone(currentInteractions(this.get(taskId))));
  }

  children(taskId: string, ids: readonly string[]): Promise<readonly ChildOutcome[]> {
    const children = ids
      .flatMap((id) => this.tasks.get(id) ?? [])
      .filter(({ record }) => record.parentId === taskId);
    return Promise.resolve(children.map(childOutcomeOf));
  }

  storedOutput(taskId: string, callId: string): Promise<string | null> {
    const call = this.get(taskId).toolCalls.get(callId);
    return Promise.resolve(call?.fullOutput ?? call?.output ?? null);
  }

  private held(lease: Lease): MemoryTask | null {
    const task = this.tasks.get(lease.taskId);
    return task && task.state === 'running' && task.epoch === lease.epoch ? task : null;
  }

  private refusal(task: MemoryTask, step: Step): CommitResult | null {
    const pending = task.record.inboxPending - step.consumedInbox.length;
    if (step.end?.kind === 'finish' && step.end.outcome.cause === 'goal' && pending > 0)
      return { kind: 'inbox_pending' };
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
    task.events.push(...step.events.filter(({ type }) => !stopping || type !== 'tool.started'));
    for (const call of step.modelCalls) task.modelCalls.set(call.id, call);
    for (const call of step.toolCalls)
      task.toolCalls.set(call.id, stopping && call.status === 'calling' ? notStarted(call) : call);
    task.usage.push(...step.usage);
    Object.assign(
      record,
      Object.fromEntries(Object.entries(step.patch).filter(([, value]) => value !== undefined)),
    );
    if (step.patch.interrupted === false) record.rollback = false;
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
    task.events.push(...endEvents(end, task.record.attempt));
    const state = stateAfter(end);
    if (end === null || state === null) return;
    const pauses = task.record.pauseRequested && !isTerminal(state);
    task.state = pauses ? 'paused' : state;
    task.workerId = null;
    if (end.kind === 'suspend' || end.kind === 'retry') task.wait = end.wait;
    if (end.kind === 'retry') {
      task.record.attempt += 1;
      task.record.retries += 1;
    }
    if (pauses) task.record.pauseRequested = false;
    else if (end.kind === 'yield') {
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
    if (
      parent.state === 'waiting' &&
      parent.wait?.reason === 'children' &&
      this.alreadySatisfied(parent.wait, parent)
    )
      this.queue(parent);
  }

  private alreadySatisfied(wait: WaitSpec, task: MemoryTask): boolean {
    if (wait.reason === 'message') return task.record.inboxPending > 0;
    if (wait.interactionIds)
      return task.interactions.some(
        ({ id, answer, withdrawn }) => wait.interactionIds?.includes(id) && (answer !== null || withdrawn),
      );
    if (wait.childIds.length === 0)
      return wait.dueInMs === null ? wait.providerKey === undefined : wait.dueInMs <= 0;
    return isSatisfied(
      wait.mode,
      wait.childIds.map((id) => this.get(id)),
    );
  }

  private *tree(taskId: string): Generator<MemoryTask> {
    yield this.get(taskId);
    for (const child of this.tasks.values())
      if (child.record.parentId === taskId) yield* this.tree(child.record.id);
  }

  private queue(task: MemoryTask): void {
    move(task, 'queued');
    task.wake += 1;
    task.workerId = null;
    this.wakes.push({ taskId: task.record.id, wake: task.wake });
  }

  private spawn(parent: MemoryTask, child: NewChild, cancelled: boolean): void {
    const { id, rootId, depth, workspace } = parent.record;
    parent.record.childCount += 1;
    this.add(child.id, child, { parentId: id, rootId, depth: depth + 1, workspace });
    if (cancelled) this.requestCancel(child.id);
    else if (parent.record.pauseRequested) this.pause(child.id);
  }

  private add(
    id: string,
    spec: Omit<NewChild, 'id' | 'callId'>,
    place: Pick<TaskRecord, 'parentId' | 'rootId' | 'depth' | 'workspace'>,
  ): void {
    this.tasks.set(id, newMemoryTask(id, spec, place));
    this.wakes.push({ taskId: id, wake: 1 });
  }
}
