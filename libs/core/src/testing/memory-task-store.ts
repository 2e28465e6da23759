/**
 * The task store in memory: the same rules as the Postgres one, for loop tests that must be fast and for crash sweeps that stop
 * between any two steps. Passes the same contract suite.
 */
import {
  isTerminal,
  nanoUsdOf,
  type AgentDefinition,
  type Autonomy,
  type BudgetPayload,
  type InteractionAnswer,
  type PlanPayload,
  type Json,
  type RewindTask,
  type TaskWorkspace,
} from '@bullpen/contracts';
import type { InboxMessage } from '../ports/store.js';
import { addTransition, dropFrom, move, rewindable, withdrawFrom, type MemoryTask } from './memory-task.js';
import { MemorySteps } from './memory-steps.js';
import { planTodos } from '../decide/answers.js';
import { isOpen } from '../decide/next-move.js';
import { fire, transitionEvent } from '../decide/modes/fire.js';
import { caughtUp } from '../decide/modes/fold.js';
import { EMPTY_CONTEXT, type Transition } from '../task/mode-context.js';
import { movedNotice } from '../conversation/mode-note.js';
import { autonomyNotice } from '../conversation/prompts.js';
import { isRewindable, rewindPoint, type RewindPoint } from '../decide/rewind.js';
import type { Lease } from '../task/task.js';

export interface NewMemoryTask {
  readonly id: string;
  readonly definition: AgentDefinition;
  readonly prompt?: string;
  readonly input?: Json;
  readonly workspace?: TaskWorkspace;
}

export class MemoryTaskStore extends MemorySteps {
  create({ id, definition, prompt = 'Do it.', input, workspace }: NewMemoryTask): void {
    this.accounts.set(id, {
      limit: definition.limits.costUsd === null ? null : nanoUsdOf(definition.limits.costUsd),
      spent: 0n,
      reserved: 0n,
    });
    const spec = { title: prompt.slice(0, 80), prompt, input: input ?? null, definition };
    this.add(id, spec, {
      parentId: null,
      workspaceId: id,
      rootId: id,
      depth: 0,
      workspace: workspace ?? { kind: 'empty' },
    });
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
    task.record.leftBy = task.workerId;
    task.events.push({ type: 'worker.lost', data: { workerId: task.workerId ?? '' } });
    this.queue(task);
  }

  /** What the timer does when a wait's time has come. */
  fireDue(taskId: string): void {
    const task = this.get(taskId);
    if (task.state === 'waiting') this.queue(task);
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
    task.record.inboxPending += 1;
    if (message.source === 'notice') return;
    task.events.push({ type: 'message.queued', data });
    if (task.state === 'waiting' && task.wait?.reason === 'message') this.queue(task);
  }

  /** Lets an ended task go on with what its user says, in a new attempt. */
  goOn(taskId: string, message: InboxMessage): void {
    const task = this.get(taskId);
    const source = task.outcome?.state ?? 'user';
    task.wait = task.outcome = null;
    Object.assign(task.record, { phase: 'work', pendingCause: null, repairs: 0, mistakes: 0, crashes: 0 });
    Object.assign(task.record, { leftBy: null, retries: 0, interrupted: false, rollback: false });
    Object.assign(task.record, { cancelRequested: false, pauseRequested: false });
    task.record.attempt += 1;
    this.send(taskId, { ...message, source });
    this.queue(task);
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
    if (!isRewindable(task.state, task.wait?.reason ?? null)) return { ok: false, reason: 'busy' };
    const point = rewindPoint(rewindable(task), request);
    if (!point.ok) return point;
    const gone = new Set(dropFrom(task, point.fromSeq).map(({ id }) => id));
    const calls = [...task.toolCalls.values()].filter(({ messageId }) => gone.has(messageId));
    for (const call of calls.filter(isOpen))
      task.toolCalls.set(call.id, { ...call, status: 'canceled', isError: true, output: 'Taken back.' });
    withdrawFrom(task);
    Object.assign(task.record, { phase: 'work', pendingCause: null, repairs: 0, mistakes: 0 });
    Object.assign(task.record, { interrupted: false, rollback: false });
    if (task.wait?.reason !== 'message') task.wait = null;
    task.events.push({ type: 'history.rewound', data: { reason: 'rewind', messageIds: [...gone] } });
    const notices = task.inbox.filter(({ message }) => message.source === 'notice');
    if (notices.length > 0 && notices.every(({ delivered }) => delivered)) this.tellAutonomy(task);
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
    if (item.kind === 'plan' && 'autonomy' in answer) {
      task.record.autonomy = answer.autonomy;
      task.record.todos = planTodos(answer, item.payload as PlanPayload);
    }
    if (task.state === 'waiting' && task.wait?.interactionIds?.includes(interactionId)) this.queue(task);
    if (item.kind === 'budget' && 'limitUsd' in answer)
      this.raise(task.record.rootId, nanoUsdOf(answer.limitUsd));
    return true;
  }

  /** The tree has more money: whoever asks for some looks again. */
  private raise(rootId: string, limit: bigint): void {
    this.account(rootId).limit = limit;
    for (const task of this.tree(rootId)) {
      if (task.state !== 'waiting' && task.state !== 'paused') continue;
      withdrawFrom(
        task,
        ({ kind, payload }) => kind === 'budget' && nanoUsdOf((payload as BudgetPayload).limitUsd) < limit,
      );
      if (task.state === 'waiting' && task.wait?.interactionIds && this.alreadySatisfied(task.wait, task))
        this.queue(task);
    }
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
    this.tellAutonomy(task);
    if (task.state === 'waiting' && task.wait?.interactionIds) this.queue(task);
  }

  /** A person fires a trigger; what waits for an answer looks again. */
  transition(taskId: string, trigger: string, reason: string | null, by: string): Transition {
    const task = this.get(taskId);
    const { machine } = task.record.definition;
    if (machine === undefined) throw new RangeError(`${taskId} has no modes`);
    const { transitions: rows, record } = task;
    const context = caughtUp(record.modeContext ?? EMPTY_CONTEXT, rows);
    const row = fire({ machine, rows, context }, { trigger, source: 'person', by, reason });
    addTransition(task, row);
    task.events.push(transitionEvent(row));
    if (row.to === null) return row;
    this.send(taskId, { id: `notice:${task.inbox.length}`, text: movedNotice(row), source: 'notice' });
    if (task.state === 'waiting' && task.wait?.interactionIds) this.queue(task);
    return row;
  }

  private tellAutonomy({ record, inbox }: MemoryTask): void {
    const text = autonomyNotice(record.definition, record.autonomy);
    this.send(record.id, { id: `notice:${inbox.length}`, text, source: 'notice' });
  }
}
