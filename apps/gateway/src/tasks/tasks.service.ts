/** What people do with tasks. Changes go through the store's commands, views come from its queries. */
import {
  AppError,
  type CancelTask,
  type CreateTask,
  type InboxMessageView,
  type ListTasks,
  type RetryTask,
  type SendMessage,
  type TaskPage,
  type TaskTree,
  type TaskView,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  completeWithin,
  getInboxMessage,
  getTask,
  getTaskTree,
  listTasks,
  newTaskView,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { PRISMA, SETTINGS, TASK_COMMANDS, type GatewaySettings } from '../http/tokens.js';
import { AgentCatalogue } from './agent-catalogue.js';
import { checkWorkspace } from './workspace-policy.js';

@Injectable()
export class TasksService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(SETTINGS) private readonly settings: Pick<GatewaySettings, 'WORKSPACE_PATHS' | 'BULLPEN_HOME'>,
    private readonly agents: AgentCatalogue,
  ) {}

  /**
   * Stores a task; from the commit on it cannot be lost. With `idempotency` the key is stored in the same transaction, so
   * that a crash before the answer does not make a repeated request a second task.
   */
  async create(principal: Principal, body: CreateTask, idempotency?: IdempotencyClaim): Promise<TaskView> {
    const { definition, title, prompt, input } = this.agents.resolve(body);
    await checkWorkspace(body.workspace, this.settings);
    const id = newId('task');
    const task = {
      id,
      tenantId: principal.tenantId,
      title,
      definition,
      prompt,
      input,
      workspace: body.workspace,
      priority: body.priority,
      runAt: body.runAt === undefined ? null : new Date(body.runAt),
      tags: body.tags,
      metadata: body.metadata,
    };
    const { createdAt } = await this.commands.create(
      task,
      idempotency &&
        ((client) =>
          completeWithin(client, idempotency, {
            status: 201,
            location: `/v1/tasks/${id}`,
            response: { committedTaskId: id },
          })),
    );
    return newTaskView(task, createdAt);
  }

  async get({ tenantId }: Principal, taskId: string): Promise<TaskView> {
    return found(await getTask(this.prisma, tenantId, taskId), taskId);
  }

  list({ tenantId }: Principal, query: ListTasks): Promise<TaskPage> {
    return listTasks(this.prisma, tenantId, query);
  }

  async tree({ tenantId }: Principal, taskId: string): Promise<TaskTree> {
    return found(await getTaskTree(this.prisma, tenantId, taskId), taskId);
  }

  /** Cancels a task and its tree. Cancelling what is cancelled already is no error; what ended otherwise cannot be. */
  async cancel(principal: Principal, taskId: string, body: CancelTask): Promise<TaskView> {
    const result = await this.commands.cancel(principal.tenantId, taskId, body.reason ?? null);
    if (result === 'not_found') throw notFound('task', taskId);
    const task = await this.get(principal, taskId);
    if (result === 'already_ended' && task.state !== 'cancelled') throw finished(task, 'cancelled');
    return task;
  }

  /** Gives a failed task another attempt. Throws `not_retryable`, naming the limit that would have to be raised. */
  async retry(principal: Principal, taskId: string, body: RetryTask): Promise<TaskView> {
    const request = { messageId: newId('inbox'), message: body.message ?? null, limits: body.limits ?? {} };
    const result = await this.commands.retry(principal.tenantId, taskId, request);
    if (result.kind === 'not_found') throw notFound('task', taskId);
    if (result.kind === 'refused') {
      const errors =
        result.pointer === null ? undefined : [{ pointer: result.pointer, detail: result.reason }];
      throw new AppError('not_retryable', result.reason, { details: { errors } });
    }
    return this.get(principal, taskId);
  }

  /** Leaves a message for the task's next turn border. */
  async sendMessage(principal: Principal, taskId: string, body: SendMessage): Promise<InboxMessageView> {
    const { tenantId } = principal;
    const id = newId('inbox');
    const result = await this.commands.sendMessage(tenantId, taskId, { id, text: body.text });
    if (result === 'not_found') throw notFound('task', taskId);
    if (result === 'task_finished') throw finished(await this.get(principal, taskId), 'sent a message');
    return found(await getInboxMessage(this.prisma, { tenantId, taskId }, id), taskId);
  }
}

/** The value, or the answer for an id that the tenant has not. */
export function found<T>(value: T | null, taskId: string): T {
  if (value === null) throw notFound('task', taskId);
  return value;
}

function finished(task: TaskView, what: string): AppError {
  return new AppError('task_finished', `Task ${task.id} is ${task.state} and cannot be ${what} any more.`);
}
