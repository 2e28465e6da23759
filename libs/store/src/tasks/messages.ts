/** Sending messages to a locked task, changing them, and stopping what it does. */
import { isTerminal, type SendStrategy } from '@bullpen/contracts';
import { isAtRest, isConversation } from '@bullpen/core';
import type { PoolClient } from 'pg';
import { prepared } from '../steps/sql.js';
import { unchanged, type Change, type Outcome } from './changes.js';
import { interruptOne, lockTask, pauseTree, type LockedTask } from './controls.js';
import { goOnLocked, type ChangedLimits } from './retries.js';
import { situationOf } from './situation.js';

/** A message to a task; what it does to the current turn. @defaultValue `queue` */
export interface NewMessage {
  readonly id: string;
  readonly text: string;
  readonly strategy?: SendStrategy;
  /** For a task that has ended, and goes on with this message. */
  readonly limits?: ChangedLimits | undefined;
}

/** `busy`: something is running, and the message should not wait for it. */
export type SendResult = 'queued' | 'busy' | 'task_finished' | 'not_found';
/** `refused`: the task has ended, or has not, and so cannot take this message; with the field that would help. */
export type SpeakResult =
  | Exclude<SendResult, 'task_finished'>
  | { readonly kind: 'refused'; readonly reason: string; readonly pointer: string | null };
/** `delivered`: the agent has read it, or a run has taken it to deliver it. */
export type ChangeMessageResult = 'changed' | 'delivered' | 'withdrawn' | 'unknown_message';

/** What the statement of a message gives of a task that it did not change. */
type NoChange = { readonly [K in keyof Change]: null };

/** A message that only waits for the next turn boundary. Its task need not be locked. */
export async function sendMessage(
  client: Pick<PoolClient, 'query'>,
  { tenantId, taskId }: Pick<LockedTask, 'tenantId' | 'taskId'>,
  { id, text }: NewMessage,
): Promise<Outcome<SendResult>> {
  const { rows } = await client.query<Change | NoChange>(
    prepared('send-message', [taskId, tenantId, id, text]),
  );
  const row = rows[0];
  if (!row) return unchanged('not_found');
  return row.id === null ? unchanged('task_finished') : { result: 'queued', changes: [row] };
}

/** A message to a task in any state, locked here: one that has ended goes on with it, in a new attempt. */
export async function sayTo(
  client: PoolClient,
  { tenantId, taskId }: Pick<LockedTask, 'tenantId' | 'taskId'>,
  message: NewMessage,
): Promise<Outcome<SpeakResult>> {
  const task = await lockTask(client, tenantId, taskId);
  if (task === null) return unchanged('not_found');
  const { id, text, limits } = message;
  if (!isTerminal(task.state)) {
    if (limits === undefined) return sendWith(client, task, message);
    const reason = `Task ${taskId} is ${task.state}; limits come with a message only when the task has ended.`;
    return unchanged({ kind: 'refused', reason, pointer: '/limits' });
  }
  const { result, changes } = await goOnLocked(client, tenantId, taskId, { id, text, limits: limits ?? {} });
  if (result.kind === 'refused') return unchanged(result);
  return { result: result.kind, changes };
}

/** A message that does not only wait for the next turn boundary. */
async function sendWith(
  client: PoolClient,
  to: LockedTask,
  message: NewMessage,
): Promise<Outcome<'queued' | 'busy'>> {
  if ((message.strategy ?? 'queue') === 'queue')
    return { ...(await sendMessage(client, to, message)), result: 'queued' };
  if (message.strategy === 'reject' && !isAtRest(to.state, to.waitReason)) return unchanged('busy');
  return { ...(await speak(client, to, message)), result: 'queued' };
}

/** Cuts off what a task is doing, and tells it how to go on. A paused task stays paused, and reads the message when it is resumed. */
export async function speak(
  client: PoolClient,
  to: LockedTask,
  message: NewMessage,
): Promise<Outcome<'interrupted' | 'paused'>> {
  const { changes } = await sendMessage(client, to, message);
  const [rollback, cutsOff] = [message.strategy === 'rollback', message.strategy !== 'reject'];
  const result = to.state === 'paused' ? 'paused' : 'interrupted';
  // A task that waits for the user has nothing running: the message wakes it.
  const idle = to.state === 'waiting' && isAtRest(to.state, to.waitReason);
  if (idle || !cutsOff || (result === 'paused' && !rollback)) return { result, changes };
  return { result, changes: await interruptOne(client, to.taskId, 'user', rollback) };
}

/**
 * Stops what a task is doing, without a message. A conversation stops its answer, and it is the user's turn again; anything else is
 * paused with its tree.
 */
export async function stop(client: PoolClient, to: LockedTask): Promise<Outcome<'interrupted' | 'paused'>> {
  const { taskId, state } = to;
  if (!isConversation(await situationOf(client, taskId))) {
    const changes = await pauseTree(client, taskId, true);
    return { result: state === 'running' ? 'interrupted' : 'paused', changes };
  }
  if (state === 'paused') return unchanged('paused');
  if (isAtRest(state, to.waitReason)) return unchanged('interrupted');
  return { result: 'interrupted', changes: await interruptOne(client, taskId, 'user') };
}

/** Changes a message that no run has taken; null withdraws it. */
export async function changeMessage(
  client: PoolClient,
  taskId: string,
  messageId: string,
  text: string | null,
): Promise<Outcome<ChangeMessageResult>> {
  type Found = { readonly state: 'pending' | 'delivered' | 'withdrawn' } & (Change | NoChange);
  const { rows } = await client.query<Found>(prepared('change-message', [taskId, messageId, text]));
  const row = rows[0];
  if (!row) return unchanged('unknown_message');
  if (row.state !== 'pending') return unchanged(row.state);
  return { result: 'changed', changes: row.id === null ? [] : [row] };
}
