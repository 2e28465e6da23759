/** What people do to tasks: submit, cancel, send messages. Each is one transaction with its events and wakes. */
import { autonomyNotice } from '@bullpen/core';
import {
  type Autonomy,
  isTerminal,
  type RewindTask,
  type TaskState,
  type UpdateTask,
} from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { answerLocked, type AnswerRequest, type AnswerResult } from '../interactions/answers.js';
import { cancelTree, closeEdges, effectsOf, type Parent } from './cancellation.js';
import { effectsOfMoves, lockedState, pauseTree, resumeTree, updateOne, type Moved } from './controls.js';
import { createRoot, effectsOfBirth, type NewRootTask } from './birth.js';
import type { CommitEffects } from './changes.js';
import { redoLocked, type RedoRequest, type RedoResult } from './redo.js';
import { retryLocked, type RetryRequest, type RetryResult } from './retries.js';
import {
  changeMessage,
  rewind,
  sendWith,
  speak,
  stop,
  type ChangeMessageResult,
  type NewMessage,
  type RewindResult,
  type SendResult,
} from './messages.js';
import { situationOf } from './situation.js';
import { prepared } from '../steps/sql.js';
import { inTransaction, type Within } from '../database/transaction.js';

export type { NewRootTask } from './birth.js';
export type { ChangeMessageResult, NewMessage, RewindResult, SendResult } from './messages.js';

/** The row that `send-message.sql` gives. */
interface SentRow {
  heard: Moved | null;
  found: number;
}

export interface TaskCommandsOptions {
  readonly pool: Pool;
  readonly newId: (prefix: 'msg' | 'inbox') => string;
  /** Called after each commit; must not throw. */
  readonly onCommitted?: (effects: CommitEffects) => void;
}

/** `requested`: the task runs; its worker stops it, and no tool of it starts any more. */
export type CancelResult = 'cancelled' | 'requested' | 'already_ended' | 'not_found';
/** `requested`: the task runs, and pauses at its next step boundary. */
export type PauseResult = 'paused' | 'requested' | 'already_ended' | 'not_found';
export type ResumeResult = 'resumed' | 'not_paused' | 'already_ended' | 'not_found';
export type InterruptResult = 'interrupted' | 'paused' | 'already_ended' | 'not_found';
export type UpdateResult = 'updated' | 'already_ended' | 'not_found';
export type SwitchResult = 'switched' | 'unchanged' | 'already_ended' | 'not_found';

export class TaskCommands {
  constructor(private readonly options: TaskCommandsOptions) {}

  /**
   * Stores a task so that it cannot be lost. `within` runs in the same transaction; without it the task is one
   * statement, and one round trip. `createdAt` is as stored.
   */
  async create(task: NewRootTask, within?: Within): Promise<{ taskId: string; createdAt: Date }> {
    const { pool, newId } = this.options;
    const messageId = newId('msg');
    const born =
      within === undefined
        ? await createRoot(pool, task, messageId)
        : await inTransaction(pool, async (client) => {
            const row = await createRoot(client, task, messageId);
            await within(client);
            return row;
          });
    if (born === 'rollback') throw new Error(`Nothing rolled back the creation of ${task.id}`);
    this.options.onCommitted?.(effectsOfBirth(task, born.due));
    return { taskId: task.id, createdAt: born.createdAt };
  }

  /** Cancels a task and everything below it. Safe to repeat; races safely with ends, spawns and wakes. */
  async cancel(tenantId: string, taskId: string, reason: string | null): Promise<CancelResult> {
    const { rows } = await this.options.pool.query<{ state: string }>(
      'SELECT state FROM tasks WHERE id = $1 AND tenant_id = $2',
      [taskId, tenantId],
    );
    if (!rows[0]) return 'not_found';
    let parent: Parent | null = null;
    const touched = await inTransaction(this.options.pool, async (client) => {
      const all = await cancelTree(client, taskId, reason);
      if (all.some((task) => task.id === taskId && task.ended)) parent = await closeEdges(client, taskId);
      return all;
    });
    if (touched === 'rollback') return 'not_found';
    this.options.onCommitted?.(effectsOf(touched, parent));
    const own = touched.find((task) => task.id === taskId);
    if (own) return own.ended ? 'cancelled' : 'requested';
    return this.resultOfRepeat(taskId);
  }

  /** Pauses a task and everything below it. `now` cuts off what is running. Safe to repeat; ended tasks stay as they are. */
  async pause(tenantId: string, taskId: string, now: boolean): Promise<PauseResult> {
    return this.control(tenantId, taskId, async (client, state) => {
      const touched = await pauseTree(client, taskId, now);
      const effects = effectsOf(touched, null);
      const own = state === 'running' ? 'requested' : 'paused';
      return { result: own, effects: now ? effects : { ...effects, cancels: [] } };
    });
  }

  /** Lets a paused task, and everything below it, go on. */
  async resume(tenantId: string, taskId: string): Promise<ResumeResult> {
    return this.control(tenantId, taskId, async (client) => {
      const moved = await resumeTree(client, taskId);
      return { result: moved.length > 0 ? 'resumed' : 'not_paused', effects: effectsOfMoves(moved) };
    });
  }

  /**
   * Cuts off what a task is doing; it goes on with the message. A paused task stays paused and reads it when it is resumed. Without
   * a message, a conversation waits for one, and anything else is paused with its tree.
   */
  async interrupt(
    tenantId: string,
    taskId: string,
    message: Pick<NewMessage, 'id' | 'text'> | null,
  ): Promise<InterruptResult> {
    return this.control(tenantId, taskId, async (client, state) => {
      const to = { tenantId, taskId, state };
      return message === null ? stop(client, to) : speak(client, to, { ...message, strategy: 'interrupt' });
    });
  }

  /** Changes what may change until a task has ended. */
  async update(tenantId: string, taskId: string, changes: UpdateTask): Promise<UpdateResult> {
    return this.control(tenantId, taskId, async (client) => {
      const row = await updateOne(client, taskId, changes);
      const moved = row ? [{ ...row, wake: 0, woken: false }] : [];
      return { result: 'updated', effects: effectsOfMoves(moved) };
    });
  }

  /** One transaction on a task that has not ended, with its family locked. */
  private async control<R>(
    tenantId: string,
    taskId: string,
    work: (client: PoolClient, state: TaskState) => Promise<{ result: R; effects: CommitEffects }>,
    mayBe: (state: TaskState) => boolean = (state) => !isTerminal(state),
  ): Promise<R | 'already_ended' | 'not_found'> {
    let ended = false;
    const done = await inTransaction(this.options.pool, async (client) => {
      // Parents first, as everywhere.
      await client.query(prepared('lock-family', [taskId]));
      const state = await lockedState(client, tenantId, taskId);
      ended = state !== null && !mayBe(state);
      return state === null || ended ? 'rollback' : work(client, state);
    });
    if (done === 'rollback') return ended ? 'already_ended' : 'not_found';
    this.options.onCommitted?.(done.effects);
    return done.result;
  }

  /** A person answers what a task waits for. Of two answers the first counts. `within` runs in the transaction of one that counts. */
  async answer(
    tenantId: string,
    interactionId: string,
    request: AnswerRequest,
    within?: Within,
  ): Promise<AnswerResult> {
    const done = await inTransaction(this.options.pool, async (client) => {
      const answered = await answerLocked(client, tenantId, interactionId, request);
      if (answered.result.kind === 'answered') await within?.(client);
      return answered;
    });
    if (done === 'rollback') return { kind: 'not_found' };
    if (done.moved.length > 0) this.options.onCommitted?.(effectsOfMoves(done.moved));
    return done.result;
  }

  /** Switches the autonomy of a task from its next decision on; its agent is told. */
  async switchAutonomy(
    tenantId: string,
    taskId: string,
    autonomy: Autonomy,
    messageId: string,
  ): Promise<SwitchResult> {
    return this.control(tenantId, taskId, async (client) => {
      const { definition } = await situationOf(client, taskId);
      const notice = autonomyNotice(definition, autonomy);
      const { rows } = await client.query<Moved>(
        prepared('switch-autonomy', [taskId, autonomy, messageId, notice]),
      );
      return { result: rows.length > 0 ? 'switched' : 'unchanged', effects: effectsOfMoves(rows) };
    });
  }

  /**
   * Puts a message into a task's inbox; the agent reads it at its next turn boundary. The strategy says what happens to the current
   * turn. `within` runs in the same transaction when the message is taken.
   */
  async sendMessage(
    tenantId: string,
    taskId: string,
    message: NewMessage,
    within?: Within,
  ): Promise<SendResult> {
    if (message.strategy !== undefined && message.strategy !== 'queue') {
      const sent = await this.control(tenantId, taskId, async (client, state) => {
        const done = await sendWith(client, { tenantId, taskId, state }, message);
        if (done.result === 'queued') await within?.(client);
        return done;
      });
      return sent === 'already_ended' ? 'task_finished' : sent;
    }
    const row = await this.queueMessage(tenantId, taskId, message, within);
    if (!row || row.found === 0) return 'not_found';
    if (row.heard) this.options.onCommitted?.(effectsOfMoves([row.heard]));
    return row.heard ? 'queued' : 'task_finished';
  }

  private async queueMessage(
    tenantId: string,
    taskId: string,
    { id, text }: NewMessage,
    within?: Within,
  ): Promise<SentRow | undefined> {
    const statement = prepared('send-message', [taskId, tenantId, id, text]);
    if (within === undefined) return (await this.options.pool.query<SentRow>(statement)).rows[0];
    const row = await inTransaction(this.options.pool, async (client) => {
      const [sent] = (await client.query<SentRow>(statement)).rows;
      if (!sent?.heard) return sent ?? 'rollback';
      await within(client);
      return sent;
    });
    return row === 'rollback' ? undefined : row;
  }

  /** Changes a message of the inbox, or with null withdraws it, until a run has taken it to deliver it. */
  async changeMessage(
    tenantId: string,
    taskId: string,
    messageId: string,
    text: string | null,
  ): Promise<ChangeMessageResult | 'already_ended' | 'not_found'> {
    return this.control(tenantId, taskId, (client) => changeMessage(client, taskId, messageId, text));
  }

  /** Drops the newest part of the conversation of a task that waits for a message, is paused, or has failed. */
  async rewind(
    tenantId: string,
    taskId: string,
    request: RewindTask,
  ): Promise<RewindResult | 'already_ended' | 'not_found'> {
    return this.control(
      tenantId,
      taskId,
      (client, state) => rewind(client, { tenantId, taskId, state }, request, this.options.newId('inbox')),
      (state) => !isTerminal(state) || state === 'failed',
    );
  }

  /** `retry` for those who know the task's id from the queue, and so need no tenant to ask for it. */
  async retryWake(taskId: string, request: RetryRequest & { readonly wake: number }): Promise<RetryResult> {
    const { rows } = await this.options.pool.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM tasks WHERE id = $1',
      [taskId],
    );
    return rows[0] ? this.retry(rows[0].tenant_id, taskId, request) : { kind: 'not_found' };
  }

  /** Gives a failed task another attempt, from where it stopped. Of two retries at once one is refused. */
  async retry(tenantId: string, taskId: string, request: RetryRequest): Promise<RetryResult> {
    const result = await inTransaction(this.options.pool, (client) =>
      retryLocked(client, tenantId, taskId, request),
    );
    if (result === 'rollback') return { kind: 'not_found' };
    if (result.kind !== 'requeued') return result;
    const { id, root_id: rootId, event_seq: seq, wake, due } = result.task;
    this.options.onCommitted?.({
      wakes: due ? [{ taskId: id, wake }] : [],
      rows: [{ tenantId, rootId, taskId: id, seq }],
      cancels: [],
    });
    return { kind: 'queued' };
  }

  /**
   * Starts an ended task over: a new root with the same definition, prompt, input and workspace, which reuses nothing. `within`
   * runs in the same transaction, as with `create`.
   */
  async redo(tenantId: string, taskId: string, request: RedoRequest, within?: Within): Promise<RedoResult> {
    const result = await inTransaction(this.options.pool, async (client) => {
      const done = await redoLocked(client, tenantId, taskId, request, this.options.newId('msg'));
      if (done.kind === 'redone') await within?.(client);
      return done;
    });
    if (result === 'rollback') return { kind: 'not_found' };
    if (result.kind !== 'redone') return result;
    this.options.onCommitted?.(effectsOfBirth({ id: result.taskId, tenantId }, result.due));
    return { kind: 'created', taskId: result.taskId };
  }

  /** Nothing was changed: the task had ended, or an earlier cancel is still in progress. */
  private async resultOfRepeat(taskId: string): Promise<CancelResult> {
    const { rows } = await this.options.pool.query<{ state: string }>(
      'SELECT state FROM tasks WHERE id = $1',
      [taskId],
    );
    return rows[0]?.state === 'running'
      ? 'requested'
      : rows[0]?.state === 'cancelled'
        ? 'cancelled'
        : 'already_ended';
  }
}
