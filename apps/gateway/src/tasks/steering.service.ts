/** What people say to tasks, and take back. */
import {
  AppError,
  RaisableLimit,
  type EditMessage,
  type InboxMessageView,
  type NextAction,
  type RewindReport,
  type RewindTask,
  type SendMessage,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  completeWithin,
  getInboxMessage,
  getTask,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { PRISMA, TASK_COMMANDS } from '../http/tokens.js';
import { finished, found } from './tasks.service.js';

@Injectable()
export class SteeringService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
  ) {}

  /**
   * Leaves a message for the task's next turn border, which some strategies bring about at once. With `idempotency` the key is stored in
   * the same transaction, so that a request repeated after a crash does not say the same twice.
   */
  async send(
    principal: Principal,
    taskId: string,
    { text, strategy, limits }: SendMessage,
    idempotency?: IdempotencyClaim,
  ): Promise<InboxMessageView> {
    const id = newId('inbox');
    const result = await this.commands.sendMessage(
      principal.tenantId,
      taskId,
      { id, text, strategy, limits },
      idempotency &&
        ((client) =>
          completeWithin(client, idempotency, {
            status: 201,
            location: null,
            response: { committedMessageId: id, taskId },
          })),
    );
    if (result === 'not_found') throw notFound('task', taskId);
    if (result === 'busy') throw busy(taskId, 'the message was not sent');
    if (typeof result === 'object') throw refused(taskId, result);
    return this.#message(principal, taskId, id);
  }

  async edit(
    principal: Principal,
    taskId: string,
    messageId: string,
    { text }: EditMessage,
  ): Promise<InboxMessageView> {
    const result = await this.#change(principal, taskId, messageId, text);
    if (result === 'withdrawn')
      throw new AppError('message_withdrawn', `Message ${messageId} was withdrawn and cannot be changed.`, {
        nextActions: [{ action: 'message.send', taskId }],
      });
    return this.#message(principal, taskId, messageId);
  }

  /** Withdrawing what is withdrawn already is no error. */
  async withdraw(principal: Principal, taskId: string, messageId: string): Promise<InboxMessageView> {
    await this.#change(principal, taskId, messageId, null);
    return this.#message(principal, taskId, messageId);
  }

  async rewind(principal: Principal, taskId: string, request: RewindTask): Promise<RewindReport> {
    const result = await this.commands.rewind(principal.tenantId, taskId, request);
    if (result === 'not_found') throw notFound('task', taskId);
    if (result === 'already_ended') throw await this.#finished(principal, taskId, 'rewound');
    if (result.kind === 'busy') throw busy(taskId, 'nothing was taken back');
    if (result.kind === 'refused') throw await this.#notRewindable(principal, taskId, result.reason);
    const { exchanges, messages, text } = result;
    return { taskId, exchanges, messages, text };
  }

  async #change(
    principal: Principal,
    taskId: string,
    messageId: string,
    text: string | null,
  ): Promise<'changed' | 'withdrawn'> {
    const result = await this.commands.changeMessage(principal.tenantId, taskId, messageId, text);
    if (result === 'not_found') throw notFound('task', taskId);
    if (result === 'unknown_message') throw notFound('message', messageId, taskId);
    const what = text === null ? 'withdrawn' : 'changed';
    if (result === 'already_ended') throw await this.#finished(principal, taskId, `given a ${what} message`);
    if (result === 'delivered')
      throw new AppError(
        'message_delivered',
        `Message ${messageId} has reached the agent and can no longer be ${what}.`,
        { nextActions: [{ action: 'message.send', taskId }] },
      );
    return result;
  }

  async #message({ tenantId }: Principal, taskId: string, id: string): Promise<InboxMessageView> {
    return found(await getInboxMessage(this.prisma, { tenantId, taskId }, id), taskId);
  }

  async #notRewindable({ tenantId }: Principal, taskId: string, reason: string): Promise<AppError> {
    const { endedAt } = found(await getTask(this.prisma, tenantId, taskId), taskId);
    const look: NextAction = { action: 'task.history', taskId };
    const nextActions =
      endedAt === null ? [look] : [look, { action: 'task.retry', taskId, mode: 'new' } as const];
    return new AppError('not_rewindable', reason, { nextActions });
  }

  async #finished({ tenantId }: Principal, taskId: string, what: string): Promise<AppError> {
    return finished(found(await getTask(this.prisma, tenantId, taskId), taskId), what);
  }
}

/** A task that cannot take a message as it is: what would have to change. */
function refused(taskId: string, { reason, pointer }: { reason: string; pointer: string | null }): AppError {
  const limit = RaisableLimit.safeParse(pointer?.replace('/limits/', '')).data;
  const errors = pointer === null ? undefined : [{ pointer, detail: reason }];
  const nextActions: NextAction[] = [
    limit === undefined ? { action: 'task.show', taskId } : { action: 'task.raise_limit', taskId, limit },
  ];
  return new AppError('not_retryable', reason, { details: { errors }, nextActions });
}

function busy(taskId: string, consequence: string): AppError {
  return new AppError('task_busy', `Task ${taskId} is busy, so ${consequence}.`, {
    nextActions: [
      { action: 'task.watch', taskId },
      { action: 'task.interrupt', taskId },
      { action: 'task.pause', taskId },
    ],
  });
}
