/** Worlds in memory. */
import { type AgentDefinition, isTerminal, NO_TOKENS, type TokenUsage, type Wake } from '@bullpen/contracts';
import type { InboxMessage, Lease, ModelCallRecord } from '@bullpen/core';
import { MemoryTaskStore, type MemoryTask } from '@bullpen/core/testing/memory';
import type { Backend, OpenedWait, TaskView, TellWakes, WorldView } from './backend.js';

/** The memory store, with what the SQL of a cancel does beside it: open model calls are charged, open tool calls closed. */
class CancellingStore extends MemoryTaskStore {
  override requestCancel(taskId: string): void {
    const task = this.get(taskId);
    const open = !isTerminal(task.state);
    if (open && !task.record.cancelRequested)
      task.events.push({ type: 'task.cancel_requested', data: { reason: null } });
    super.requestCancel(taskId);
    if (open && task.state === 'cancelled') this.close(task);
  }

  /** A pause; `now` leaves at once what is under way. */
  pauseTree(taskId: string, now: boolean): void {
    const running = [...this.tasks.values()].filter(({ state }) => state === 'running');
    this.pause(taskId);
    for (const { record } of now ? running : []) if (record.pauseRequested) record.interrupted = true;
  }

  private close(task: MemoryTask): void {
    // The ends of its children may have queued it before its own came.
    const moved = task.events.findLast((event) => event.type === 'task.status_changed');
    const from = moved?.data.to ?? 'queued';
    task.events.push({ type: 'task.status_changed', data: { from, to: 'cancelled' } });
    for (const call of task.modelCalls.values()) if (call.status === 'started') this.writeOff(task, call);
    for (const call of task.toolCalls.values()) {
      if (call.status === 'generated' || call.status === 'calling')
        task.toolCalls.set(call.id, { ...call, status: 'canceled', isError: true });
    }
  }

  private writeOff(task: MemoryTask, call: ModelCallRecord): void {
    const { id: modelCallId, model, reservedNanoUsd: costNanoUsd } = call;
    const account = this.account(task.record.rootId);
    account.reserved -= costNanoUsd;
    account.spent += costNanoUsd;
    task.record.costNanoUsd += costNanoUsd;
    const marks = { price: null, estimated: true, simulated: false };
    task.usage.push({ modelCallId, model, usage: NO_TOKENS, costNanoUsd, ...marks });
    task.modelCalls.set(call.id, { ...call, status: 'abandoned', reservedNanoUsd: 0n });
  }
}

export class MemoryBackend implements Backend {
  readonly slots = 1;
  protected readonly store = new CancellingStore();
  private readonly lost = new Set<string>();
  private readonly due = new Set<string>();

  constructor(private readonly tell: TellWakes) {}

  storeOf() {
    const { store } = this;
    const told = async <T>(work: Promise<T>): Promise<T> => {
      this.tell(store.wakes.splice(0));
      return work;
    };
    return {
      claim: (taskId: string, wake: number, workerId: string) => told(store.claim(taskId, wake, workerId)),
      load: (lease: Lease) => store.load(lease),
      commit: (...args: Parameters<MemoryTaskStore['commit']>) => told(store.commit(...args)),
      takeInbox: (lease: Lease) => store.takeInbox(lease),
      interactions: (taskId: string) => store.interactions(taskId),
      layers: () => store.layers(),
      children: (taskId: string, ids: readonly string[]) => store.children(taskId, ids),
      transitions: (taskId: string) => store.transitions(taskId),
      workInHand: (taskId: string) => store.workInHand(taskId),
      storedOutput: (taskId: string, callId: string) => store.storedOutput(taskId, callId),
    };
  }

  create(id: string, definition: AgentDefinition, prompt: string): Promise<void> {
    this.store.create({ id, definition, prompt });
    return this.done();
  }

  async cancel(taskId: string): Promise<boolean> {
    const open = !isTerminal(this.store.get(taskId).state);
    if (open) this.store.requestCancel(taskId);
    await this.done();
    return open;
  }

  cancelledAttempt(taskId: string): Promise<number | null> {
    const { state, record } = this.store.get(taskId);
    return Promise.resolve(state === 'cancelled' || record.cancelRequested ? record.attempt : null);
  }

  async send(taskId: string, message: InboxMessage): Promise<boolean> {
    const { state, record } = this.store.get(taskId);
    if (!isTerminal(state)) this.store.send(taskId, message);
    else if (record.parentId === null) this.store.goOn(taskId, message);
    else return false;
    await this.done();
    return true;
  }

  async pause(taskId: string, now: boolean): Promise<boolean> {
    if (isTerminal(this.store.get(taskId).state)) return false;
    this.store.pauseTree(taskId, now);
    await this.done();
    return true;
  }

  async resume(taskId: string): Promise<'done' | 'ended'> {
    if (isTerminal(this.store.get(taskId).state)) return 'ended';
    this.store.resume(taskId);
    await this.done();
    return 'done';
  }

  async interrupt(taskId: string, message: InboxMessage): Promise<'interrupted' | 'paused' | 'ended'> {
    const { state } = this.store.get(taskId);
    if (isTerminal(state)) return 'ended';
    if (state === 'paused') this.store.send(taskId, message);
    else this.store.interrupt(taskId, message);
    await this.done();
    return state === 'paused' ? 'paused' : 'interrupted';
  }

  passDeadline(taskId: string): Promise<void> {
    this.store.get(taskId).record.deadlineAt = new Date(0);
    return Promise.resolve();
  }

  loseLease({ taskId, epoch }: Lease): Promise<void> {
    this.lost.add(placeOf(taskId, epoch));
    return Promise.resolve();
  }

  makeDue({ taskId, epoch }: OpenedWait): Promise<void> {
    this.due.add(placeOf(taskId, epoch));
    return Promise.resolve();
  }

  async expireLeases(): Promise<readonly string[]> {
    const taken = this.all().filter(
      ({ state, record, epoch }) => state === 'running' && this.lost.has(placeOf(record.id, epoch)),
    );
    for (const { record } of taken) this.store.expire(record.id);
    await this.done();
    return taken.map(({ record }) => record.id);
  }

  fireDueWaits(): Promise<void> {
    for (const { state, wait, record, epoch } of this.all()) {
      // Nobody parks a key in these worlds: who waits for one may go on at once.
      const isOver = wait?.reason === 'provider' || this.due.has(placeOf(record.id, epoch));
      if (state === 'waiting' && isOver) this.store.fireDue(record.id);
    }
    return this.done();
  }

  /** What has begun is told to sum up; the rest finds out when it runs. */
  endOverdue(): Promise<void> {
    for (const { state, record } of this.all()) {
      const sumsUp = state === 'waiting' || (state === 'running' && record.phase === 'work');
      if (record.deadlineAt !== null && sumsUp && !record.interrupted) this.store.interrupt(record.id);
    }
    return this.done();
  }

  dueWakes(): Promise<readonly Wake[]> {
    const queued = this.all().filter(({ state }) => state === 'queued');
    return Promise.resolve(queued.map(({ record, wake }) => ({ taskId: record.id, wake })));
  }

  allEnded(): Promise<boolean> {
    return Promise.resolve(this.all().every(({ state }) => isTerminal(state)));
  }

  view(): Promise<WorldView> {
    const tasks = this.all();
    const root = tasks[0]?.record.rootId ?? '';
    return Promise.resolve({ tasks: tasks.map(viewOf), account: this.store.account(root) });
  }

  selfCheck(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  private all(): MemoryTask[] {
    return [...this.store.tasks.values()];
  }

  private done(): Promise<void> {
    this.tell(this.store.wakes.splice(0));
    return Promise.resolve();
  }
}

function placeOf(taskId: string, epoch: number): string {
  return `${taskId} ${epoch}`;
}

function viewOf(task: MemoryTask): TaskView {
  const { record } = task;
  return {
    id: record.id,
    parentId: record.parentId,
    state: task.state,
    cause: task.outcome?.cause ?? null,
    failure: task.outcome?.failure?.code ?? null,
    epoch: task.epoch,
    wake: task.wake,
    inboxPending: record.inboxPending,
    usage: record.usage satisfies TokenUsage,
    costNanoUsd: record.costNanoUsd,
    messages: task.messages,
    events: task.events,
    calls: [...task.toolCalls.values()],
    modelCalls: [...task.modelCalls.values()],
    usageRows: task.usage,
  };
}
