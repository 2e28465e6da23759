/**
 * Sees everything that goes through the ports of a world, in order, and objects at once to what must never happen: a write of
 * a worker whose lease is gone, an effect without a stored intent, a request for an answer that is stored already, a start
 * after a cancel.
 */
import type { CommitResult, Lease, Step } from '@bullpen/core';
import type { OpenedWait } from './backend.js';

/** What is wrong, in the words of the suite's report. */
export type ViolationKind = 'lost' | 'doubled' | 'paid_twice' | 'stuck' | 'other';

export interface Violation {
  readonly kind: ViolationKind;
  readonly text: string;
}

/** What was seen of one task. */
export interface TaskWitness {
  readonly id: string;
  readonly parentId: string | null;
  readonly children: string[];
  readonly wakesClaimed: Set<number>;
  /** Starts of tool calls that were stored, as `<call> <epoch>`, and when. */
  readonly starts: Map<string, number>;
  readonly sent: { readonly text: string; readonly accepted: boolean }[];
  epoch: number;
  /** Whether the newest lease may still write. */
  live: boolean;
  /** The model call that was announced last and not made yet. */
  asking: { readonly epoch: number; readonly at: number } | null;
  /** Whether a request is on its way, or its answer not stored yet. */
  isAsking: boolean;
  assistantMessages: number;
  cancelledAt: number | null;
  /** The number of the attempt that a run saw last. */
  attempt: number;
  /** The attempt that a cancel was for; later ones are somebody's wish. */
  cancelledAttempt: number;
  /** Since when it is known to be paused, or about to be; null once somebody resumes it. */
  pausedAt: number | null;
  pauses: number;
  /** Where it was when it was interrupted last: its lease, and how many answers it had. */
  interrupted: { readonly epoch: number; readonly assistantMessages: number } | null;
  /** By call: the number of the answer that asked for it. */
  readonly askedIn: Map<string, number>;
  leasesLost: number;
  eventSeq: number;
  /** How many triggers were fired. */
  modeSeq: number;
  limitReached: boolean;
  /** The wait that it opened last. */
  wait: OpenedWait | null;
  /** Where in the history it waited last for subtasks; -1 before the first time, and once a timer woke it early. */
  waitedAt: number;
}

/** One lease's run of the loop, as the model and the tools know it. */
export interface RunWitness {
  readonly lease: Lease;
  /** Length of the history that the last usable answer was given for; -1 before the first. */
  answered: number;
}

export class Witness {
  readonly violations: Violation[] = [];
  readonly tasks = new Map<string, TaskWitness>();
  /** How often each call of a tool with effects took effect. */
  readonly effects = new Map<string, number>();
  requests = 0;
  /** Waits for subtasks. Without any of them, a world says nothing about who wakes a parent. */
  waitsForSubtasks = 0;
  /** Rises with all that goes on. */
  seen = 0;
  private tick = 0;

  object(kind: ViolationKind, text: string): void {
    this.violations.push({ kind, text });
  }

  born(id: string, parentId: string | null): void {
    this.tasks.set(id, {
      id,
      parentId,
      children: [],
      wakesClaimed: new Set(),
      starts: new Map(),
      sent: [],
      epoch: 0,
      live: false,
      asking: null,
      isAsking: false,
      assistantMessages: 0,
      cancelledAt: null,
      attempt: 1,
      cancelledAttempt: Infinity,
      pausedAt: null,
      pauses: 0,
      interrupted: null,
      askedIn: new Map(),
      leasesLost: 0,
      eventSeq: 0,
      modeSeq: 0,
      limitReached: false,
      wait: null,
      waitedAt: -1,
    });
    if (parentId !== null) this.task(parentId).children.push(id);
  }

  task(id: string): TaskWitness {
    const task = this.tasks.get(id);
    if (!task) throw new RangeError(`nobody saw ${id} being born`);
    return task;
  }

  /** Tasks in the order of their birth. */
  births(): TaskWitness[] {
    return [...this.tasks.values()];
  }

  claimed(lease: Lease, wake: number): void {
    this.seen += 1;
    const task = this.task(lease.taskId);
    if (task.wakesClaimed.has(wake)) this.object('doubled', `wake ${wake} of ${task.id} was claimed twice`);
    task.wakesClaimed.add(wake);
    if (task.live)
      this.object('doubled', `${task.id} was claimed while the lease of epoch ${task.epoch} was good`);
    if (lease.epoch <= task.epoch)
      this.object('doubled', `${task.id} was claimed with epoch ${lease.epoch} after epoch ${task.epoch}`);
    task.epoch = lease.epoch;
    task.live = true;
    task.asking = null;
    task.isAsking = false;
  }

  /** The reconciler gave the task to others. `lost`: its worker had really lost it. */
  taken(taskId: string, lost: boolean): void {
    const task = this.task(taskId);
    if (!lost) this.object('doubled', `the good lease of epoch ${task.epoch} of ${taskId} was taken away`);
    task.live = false;
    task.leasesLost += 1;
  }

  committed(lease: Lease, step: Step, result: CommitResult): void {
    if (result.kind !== 'committed' && result.kind !== 'not_suspended') return;
    const task = this.task(lease.taskId);
    const at = (this.tick += 1);
    this.seen += 1;
    if (lease.epoch !== task.epoch || !task.live) {
      const now = task.live ? `epoch ${task.epoch} holds it` : 'nobody holds it';
      this.object('doubled', `epoch ${lease.epoch} wrote to ${task.id} although ${now}`);
    }
    if (result.eventSeq < task.eventSeq)
      this.object('other', `the events of ${task.id} went back from ${task.eventSeq} to ${result.eventSeq}`);
    task.eventSeq = result.eventSeq;
    this.fired(task, step, result.modeSeq);
    task.isAsking = false;
    if (waits(step.end) && result.kind === 'committed' && result.cancelRequested)
      this.object('other', `${task.id} went to wait although it is to be cancelled`);
    this.note(task, lease, step, at);
    if (waits(step.end) && result.kind === 'committed') this.waits(task, step.end.wait.reason);
    for (const child of step.children) this.bornUnder(task, child.id, at);
    if (step.end !== null && result.kind === 'committed') task.live = false;
    if (step.end?.kind === 'finish') this.cancelBelow(task, at);
  }

  /** A cancel was acknowledged: nothing of the tree may start from now on. */
  cancelled(taskId: string, attempt: number): void {
    const at = (this.tick += 1);
    const task = this.task(taskId);
    task.cancelledAt ??= at;
    task.cancelledAttempt = attempt;
    this.cancelBelow(task, at);
  }

  /** A run has read its task. What was said of an earlier attempt is over with the next one. */
  loaded(taskId: string, { id, attempt }: { readonly id: string; readonly attempt: number }): void {
    const task = this.task(taskId);
    if (id !== taskId) this.object('other', `${taskId} was given the history of ${id}`);
    if (attempt > task.attempt) Object.assign(task, { pausedAt: null, limitReached: false });
    if (attempt > task.cancelledAttempt) task.cancelledAt = null;
    task.attempt = attempt;
  }

  /** A pause was acknowledged: nothing of the tree may start until somebody resumes it. */
  paused(taskId: string): void {
    const at = (this.tick += 1);
    for (const task of this.tree(taskId)) {
      task.pausedAt ??= at;
      task.pauses += 1;
    }
  }

  /** Somebody is about to resume the tree. */
  resumed(taskId: string): void {
    for (const task of this.tree(taskId)) task.pausedAt = null;
  }

  /** An interrupt was acknowledged: later leases leave the calls of the answers so far alone. */
  interrupted(taskId: string): void {
    const task = this.task(taskId);
    task.interrupted = { epoch: task.epoch, assistantMessages: task.assistantMessages };
  }

  /** A request is about to be sent. `assistantMessages` and `messages`: those in it. */
  asks(run: RunWitness, assistantMessages: number, messages: number): void {
    const { epoch } = run.lease;
    const task = this.task(run.lease.taskId);
    this.requests += 1;
    if (messages <= run.answered)
      this.object(
        'paid_twice',
        `${task.id} asked again for the answer to message ${messages} that it had got`,
      );
    if (epoch !== task.epoch || !task.live)
      return this.object('paid_twice', `${task.id} was asked for under epoch ${epoch}, whose lease is lost`);
    if (task.asking?.epoch !== epoch) return this.object('other', `${task.id} asked without a stored intent`);
    if (task.cancelledAt !== null && task.asking.at > task.cancelledAt)
      this.object('other', `${task.id} asked the model after its cancel`);
    if (task.pausedAt !== null && task.asking.at > task.pausedAt)
      this.object('other', `${task.id} asked the model after it was paused`);
    task.asking = null;
    task.isAsking = true;
    if (assistantMessages !== task.assistantMessages) {
      const text = `${task.id} sent ${assistantMessages} answers back, and ${task.assistantMessages} are stored`;
      this.object('paid_twice', text);
    }
  }

  /** A tool is about to run. */
  starts(run: RunWitness, callId: string, tool: string): void {
    const { lease } = run;
    const task = this.task(lease.taskId);
    if (lease.epoch !== task.epoch || !task.live)
      return this.object(
        'doubled',
        `${tool} (${callId}) of ${task.id} started under epoch ${lease.epoch}, whose lease is lost`,
      );
    const at = task.starts.get(`${callId} ${lease.epoch}`);
    if (at === undefined)
      return this.object(
        'other',
        `${tool} (${callId}) of ${task.id} ran without a stored start of its lease`,
      );
    if (task.cancelledAt !== null && at > task.cancelledAt)
      this.object('other', `${tool} (${callId}) of ${task.id} started after the cancel`);
    if (task.pausedAt !== null && at > task.pausedAt)
      this.object('other', `${tool} (${callId}) of ${task.id} started after the pause`);
    const { interrupted } = task;
    if (
      interrupted !== null &&
      lease.epoch > interrupted.epoch &&
      (task.askedIn.get(callId) ?? 0) <= interrupted.assistantMessages
    )
      this.object('other', `${tool} (${callId}) of ${task.id} ran although an interrupt had left it`);
  }

  /** A tool that must not run twice took effect. */
  tookEffect(taskId: string, callId: string): void {
    const count = (this.effects.get(callId) ?? 0) + 1;
    this.effects.set(callId, count);
    if (count > 1) this.object('doubled', `the call ${callId} of ${taskId} took effect ${count} times`);
  }

  /** A wait for subtasks is opened once: whoever opens it again was woken before it was over. */
  private waits(task: TaskWitness, reason: string): void {
    if (reason !== 'children') return;
    this.waitsForSubtasks += 1;
    if (task.waitedAt === task.assistantMessages)
      this.object('other', `${task.id} was woken before its wait was over`);
    task.waitedAt = task.assistantMessages;
  }

  /** Each trigger has one number and one event, and none is lost; people may have fired some in between. */
  private fired(task: TaskWitness, { transition, events }: Step, modeSeq: number): void {
    const told = events.flatMap((event) =>
      event.type === 'mode.changed' || event.type === 'mode.refused' ? [event.data.seq] : [],
    );
    const wanted = transition === null ? [] : [transition.seq];
    if (told.join() !== wanted.join())
      this.object('lost', `${task.id} told of the triggers ${told.join()}, and fired ${wanted.join()}`);
    if (transition !== null && transition.seq <= task.modeSeq)
      this.object('doubled', `the trigger ${transition.seq} of ${task.id} was fired twice`);
    if (modeSeq < task.modeSeq || (transition !== null && modeSeq !== transition.seq))
      this.object(
        'lost',
        `${task.id} has ${modeSeq} triggers after the one that was ${transition?.seq ?? task.modeSeq}`,
      );
    task.modeSeq = modeSeq;
  }

  private note(task: TaskWitness, lease: Lease, step: Step, at: number): void {
    task.assistantMessages += step.messages.filter(({ role }) => role === 'assistant').length;
    if (step.events.some(({ type }) => type === 'limit.reached')) task.limitReached = true;
    if (step.modelCalls.some(({ status }) => status === 'started')) task.asking = { epoch: lease.epoch, at };
    for (const call of step.toolCalls) {
      if (!task.askedIn.has(call.id)) task.askedIn.set(call.id, task.assistantMessages);
      if (call.status === 'calling') task.starts.set(`${call.id} ${lease.epoch}`, at);
    }
  }

  private bornUnder(parent: TaskWitness, id: string, at: number): void {
    this.born(id, parent.id);
    if (parent.cancelledAt !== null) this.task(id).cancelledAt = at;
  }

  private *tree(taskId: string): Generator<TaskWitness> {
    const task = this.task(taskId);
    yield task;
    for (const id of task.children) yield* this.tree(id);
  }

  private cancelBelow(task: TaskWitness, at: number): void {
    for (const id of task.children) {
      const child = this.task(id);
      child.cancelledAt ??= at;
      this.cancelBelow(child, at);
    }
  }
}

/** The step leaves the task waiting. */
function waits(end: Step['end']): end is Extract<Step['end'], { kind: 'suspend' | 'retry' }> {
  return end?.kind === 'suspend' || end?.kind === 'retry';
}
