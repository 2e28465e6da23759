/** What people do to tasks: submit, cancel, send messages. Each is one transaction with its events and wakes. */
import { autonomyNotice } from '@bullpen/core';
import {
  type AgentDefinition,
  type Autonomy,
  isTerminal,
  type RewindTask,
  type TaskState,
  type UpdateTask,
} from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, type Within } from '../database/transaction.js';
import { answerLocked, type AnswerRequest, type AnswerResult } from '../interactions/answers.js';
import { completeWithin, type KeyedAnswer } from '../requests/idempotency.js';
import { prepared } from '../steps/sql.js';
import { rootRow, type NewRootTask } from './birth.js';
import { createWhole, type NewId } from './fork.js';
import { insertImport, type NewImport } from './import.js';
import { cancelTree } from './cancellation.js';
import { tell, unchanged, type Change, type OnCommitted, type Outcome } from './changes.js';
import { lockTask, pauseTree, resumeTree, updateOne, type LockedTask } from './controls.js';
import {
  changeMessage,
  sayTo,
  sendMessage,
  speak,
  stop,
  type ChangeMessageResult,
  type NewMessage,
  type SpeakResult,
} from './messages.js';
import { redoLocked, type RedoRequest, type RedoResult } from './redo.js';
import { retryLocked, type RetryRequest, type RetryResult } from './retries.js';
import { rewind, type RewindResult } from './rewind.js';
import { changeTags, setArchived, type ShelfResult } from './shelf.js';
import { situationOf } from './situation.js';
import { Submissions } from './submissions.js';
import { fireLocked, type FireRequest, type FireResult } from './transitions.js';

export type { NewRootTask } from './birth.js';
export type { ChangeMessageResult, NewMessage, SpeakResult } from './messages.js';
export type { RewindResult } from './rewind.js';

export interface TaskCommandsOptions {
  readonly pool: Pool;
  readonly newId: NewId;
  readonly onCommitted?: OnCommitted;
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
  private readonly submissions: Submissions;

  constructor(private readonly options: TaskCommandsOptions) {
    this.submissions = new Submissions(options);
  }

  /**
   * Stores a task so that it cannot be lost, and what is to be answered with it. Tasks that fork nothing and come together share a
   * statement. `createdAt` is as stored. Throws `not_found` when the checkpoint is gone that it is to begin from, and
   * `idempotency_in_flight` when the claim was taken over.
   */
  async create(task: NewRootTask, keyed?: KeyedAnswer): Promise<{ taskId: string; createdAt: Date }> {
    const { newId } = this.options;
    const taskId = task.id;
    const isPlain = task.message == null && task.workspace.kind !== 'fork' && task.historyOf == null;
    if (isPlain) {
      const { createdAt } = await this.submissions.create(rootRow(task, newId('msg'), keyed));
      return { taskId, createdAt };
    }
    return this.transact(async (client) => {
      const { changes, createdAt } = await createWhole(client, task, newId);
      if (keyed !== undefined) await completeWithin(client, keyed.claim, keyed.answer);
      return { result: { taskId, createdAt }, changes };
    });
  }

  /** Stores a tree of another installation; nothing of it ever runs. `within` runs in the same transaction. */
  async import(document: NewImport, within?: Within): Promise<void> {
    return this.transact(async (client) => {
      const changes = await insertImport(client, document);
      await within?.(client);
      return { result: undefined, changes };
    });
  }

  /** Cancels a task and everything below it. Safe to repeat; races safely with ends, spawns and wakes. */
  async cancel(tenantId: string, taskId: string, reason: string | null): Promise<CancelResult> {
    return this.control(
      tenantId,
      taskId,
      async (client, { state }) => ({
        result: cancelResult(state),
        changes: await cancelTree(client, taskId, reason),
      }),
      () => true,
    );
  }

  /** Pauses a task and everything below it. `now` cuts off what is running. Safe to repeat; ended tasks stay as they are. */
  async pause(tenantId: string, taskId: string, now: boolean): Promise<PauseResult> {
    return this.control(tenantId, taskId, async (client, { state }) => ({
      result: state === 'running' ? 'requested' : 'paused',
      changes: await pauseTree(client, taskId, now),
    }));
  }

  /** Lets a paused task, and everything below it, go on. */
  async resume(tenantId: string, taskId: string): Promise<ResumeResult> {
    return this.control(tenantId, taskId, async (client) => {
      const changes = await resumeTree(client, taskId);
      return { result: changes.length > 0 ? 'resumed' : 'not_paused', changes };
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
    return this.control(tenantId, taskId, (client, task) =>
      message === null ? stop(client, task) : speak(client, task, { ...message, strategy: 'interrupt' }),
    );
  }

  /**
   * Changes what may change until a task has ended. `switched` says what its definition is with another profile, and throws when it cannot
   * have that.
   */
  async update(
    tenantId: string,
    taskId: string,
    changes: UpdateTask,
    switched: (definition: AgentDefinition, profile: string) => AgentDefinition,
  ): Promise<UpdateResult> {
    return this.control(tenantId, taskId, async (client) => {
      const { profile } = changes;
      const definition =
        profile === undefined ? null : switched((await situationOf(client, taskId)).definition, profile);
      return { result: 'updated', changes: await updateOne(client, taskId, changes, definition) };
    });
  }

  /** Puts a task that has ended out of sight, or back. Safe to repeat. */
  async archive(
    tenantId: string,
    taskId: string,
    archived: boolean,
  ): Promise<ShelfResult | 'not_ended' | 'not_found'> {
    return this.transact<ShelfResult | 'not_ended' | 'not_found'>(async (client) => {
      const task = await lockTask(client, tenantId, taskId);
      if (task === null) return unchanged('not_found');
      return isTerminal(task.state) ? setArchived(client, taskId, archived) : unchanged('not_ended');
    });
  }

  /** Adds and removes tags, also of a task that has ended. Safe to repeat. */
  async tag(
    tenantId: string,
    taskId: string,
    { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<ShelfResult | 'not_found'> {
    return this.transact<ShelfResult | 'not_found'>(async (client) => {
      const task = await lockTask(client, tenantId, taskId);
      return task === null ? unchanged('not_found') : changeTags(client, taskId, add, remove);
    });
  }

  /** One transaction on a task that has not ended, with its family locked. */
  private async control<R>(
    tenantId: string,
    taskId: string,
    work: (client: PoolClient, task: LockedTask) => Promise<Outcome<R>>,
    mayBe: (state: TaskState) => boolean = (state) => !isTerminal(state),
  ): Promise<R | 'already_ended' | 'not_found'> {
    return this.transact<R | 'already_ended' | 'not_found'>(async (client) => {
      const task = await lockTask(client, tenantId, taskId);
      if (task === null) return unchanged('not_found');
      return mayBe(task.state) ? work(client, task) : unchanged('already_ended');
    });
  }

  /** One transaction; what it changed is told after its commit. */
  private async transact<R>(work: (client: PoolClient) => Promise<Outcome<R>>): Promise<R> {
    const { result, changes } = await inTransaction(this.options.pool, work);
    tell(this.options.onCommitted, changes);
    return result;
  }

  /** A person answers what a task waits for. Of two answers the first counts. `within` runs in the transaction of one that counts. */
  async answer(
    tenantId: string,
    interactionId: string,
    request: AnswerRequest,
    within?: Within,
  ): Promise<AnswerResult> {
    return this.transact(async (client) => {
      const answered = await answerLocked(client, tenantId, interactionId, request);
      if (answered.result.kind === 'answered') await within?.(client);
      return answered;
    });
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
      const { rows: changes } = await client.query<Change>(
        prepared('switch-autonomy', [taskId, autonomy, messageId, notice]),
      );
      return { result: changes.length > 0 ? 'switched' : 'unchanged', changes };
    });
  }

  /**
   * Fires a trigger of a task's work mode. Refused or not, it is recorded; the agent is told when it leads somewhere, and what waits for
   * an answer looks again.
   */
  async fireTrigger(tenantId: string, taskId: string, request: FireRequest): Promise<FireResult> {
    return this.control<FireResult>(tenantId, taskId, (client) =>
      fireLocked(client, taskId, request, this.options.newId('inbox')),
    );
  }

  /**
   * Puts a message into a task's inbox; the agent reads it at its next turn boundary. The strategy says what happens to the current
   * turn. A root that has ended goes on with it, in a new attempt. `within` runs in the same transaction when the message is taken.
   */
  async sendMessage(
    tenantId: string,
    taskId: string,
    message: NewMessage,
    within?: Within,
  ): Promise<SpeakResult> {
    const to = { tenantId, taskId };
    const { strategy = 'queue', limits } = message;
    if (strategy === 'queue' && limits === undefined && within === undefined) {
      const { result, changes } = await sendMessage(this.options.pool, to, message);
      tell(this.options.onCommitted, changes);
      if (result !== 'task_finished') return result;
    }
    return this.transact(async (client) => {
      const outcome = await sayTo(client, to, message);
      if (outcome.result === 'queued') await within?.(client);
      return outcome;
    });
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
      (client, task) => rewind(client, task, request, this.options.newId('inbox')),
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

  /** Gives a failed task another attempt, from where it stopped. Of two retries at once one is refused. `within` is as with `import`. */
  async retry(
    tenantId: string,
    taskId: string,
    request: RetryRequest,
    within?: Within,
  ): Promise<RetryResult> {
    return this.transact(async (client) => {
      const retried = await retryLocked(client, tenantId, taskId, request);
      if (retried.result.kind === 'queued') await within?.(client);
      return retried;
    });
  }

  /**
   * Starts an ended task over: a new root with the same definition, prompt, input and workspace, which reuses nothing, or which goes on from
   * a checkpoint. `within` runs in the same transaction.
   */
  async redo(tenantId: string, taskId: string, request: RedoRequest, within?: Within): Promise<RedoResult> {
    return this.transact(async (client) => {
      const done = await redoLocked(client, tenantId, taskId, request, this.options.newId);
      if (done.result.kind === 'created') await within?.(client);
      return done;
    });
  }
}

/** What a cancel comes to for a task that was in this state. */
function cancelResult(state: TaskState): CancelResult {
  if (state === 'running') return 'requested';
  return isTerminal(state) && state !== 'cancelled' ? 'already_ended' : 'cancelled';
}
