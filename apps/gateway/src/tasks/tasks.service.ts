/** What people do with tasks. Changes go through the store's commands, views come from its queries. */
import {
  AGENTS_FOLDER,
  AppError,
  originOf,
  type CancelTask,
  type CreateTask,
  type InterruptTask,
  type ListTasks,
  type PauseTask,
  type SwitchAutonomy,
  type TaskPage,
  type TaskTree,
  type TaskView,
  type TaskWorkspace,
  type UpdateTask,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  Attachments,
  getTask,
  getTaskTree,
  listTasks,
  newTaskView,
  type IdempotencyClaim,
  type InterruptResult,
  type NewRootTask,
  type PauseResult,
  type PolicyLayerStore,
  type Principal,
  type Prisma,
  type ResumeResult,
  type TaskCommands,
  type SwitchResult,
  type UpdateResult,
} from '@bullpen/store';
import { agentFilesIn, projectKeyOf } from '@bullpen/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { checkAttachments } from '../attachments/check-attachments.js';
import { notFound } from '../http/problem.js';
import { POLICY_LAYERS, POOL, PRISMA, SETTINGS, TASK_COMMANDS, type Pool } from '../http/tokens.js';
import { AgentCatalogue } from './agent-catalogue.js';
import { keyedAnswer, storedWorkspace } from './new-task.js';
import { checkWorkspace, type WorkspaceSettings } from './workspace-policy.js';

@Injectable()
export class TasksService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(SETTINGS) private readonly settings: WorkspaceSettings,
    private readonly agents: AgentCatalogue,
    @Inject(POLICY_LAYERS) private readonly policies: PolicyLayerStore,
    private readonly attachments: Attachments,
  ) {}

  /**
   * Stores a task; from the commit on it cannot be lost. With `idempotency` the key is stored in the same transaction, so
   * that a crash before the answer does not make a repeated request a second task. `from`: the conversation that it goes on from.
   */
  async create(
    principal: Principal,
    body: CreateTask,
    idempotency?: IdempotencyClaim,
    from: Pick<NewRootTask, 'historyOf' | 'message'> = {},
  ): Promise<TaskView> {
    const wanted = await storedWorkspace(this.pool, principal.tenantId, body.workspace);
    const project = await projectKeyOf(originOf(wanted));
    const layers = await this.policies.around(principal.tenantId, project, null);
    checkDeadline(body.deadlineAt, body.runAt);
    // Before anything is read there.
    await checkWorkspace(wanted, this.settings);
    const agentFiles = await agentFilesOf(body, wanted);
    const { definition, title, prompt, input } = this.agents.resolve({ ...body, agentFiles }, layers);
    await checkAttachments(this.attachments, principal.tenantId, body.contextItems, definition);
    // Under its real name: what a project's policy says counts by whatever link the task came.
    const workspace = project !== null && wanted.kind === 'path' ? { ...wanted, path: project } : wanted;
    const id = newId('task');
    const task = {
      ...from,
      id,
      tenantId: principal.tenantId,
      title,
      definition,
      prompt,
      input,
      workspace,
      contextItems: body.contextItems,
      priority: body.priority,
      runAt: dateOf(body.runAt),
      deadlineAt: dateOf(body.deadlineAt),
      retryOfId: null,
      tags: body.tags,
      metadata: body.metadata,
    };
    const { createdAt } = await this.commands.create(task, keyedAnswer(idempotency, id));
    const isFork = workspace.kind === 'fork' || from.historyOf != null;
    return isFork ? this.get(principal, id) : newTaskView(task, createdAt);
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

  /** Pauses a task and its tree; what runs stops at its next border, or at once. */
  async pause(principal: Principal, taskId: string, { now }: PauseTask): Promise<TaskView> {
    return this.changed(
      principal,
      taskId,
      'paused',
      await this.commands.pause(principal.tenantId, taskId, now),
    );
  }

  /** Lets a paused task and its tree go on; what is not paused stays as it is. */
  async resume(principal: Principal, taskId: string): Promise<TaskView> {
    return this.changed(principal, taskId, 'resumed', await this.commands.resume(principal.tenantId, taskId));
  }

  /** Cuts off what a task does; with a message it goes on with that, without one it stops. */
  async interrupt(principal: Principal, taskId: string, { message }: InterruptTask): Promise<TaskView> {
    const request = message === undefined ? null : { id: newId('inbox'), text: message };
    const result = await this.commands.interrupt(principal.tenantId, taskId, request);
    return this.changed(principal, taskId, 'interrupted', result);
  }

  /** Switches the autonomy from the task's next decision on. */
  async switchAutonomy(
    principal: Principal,
    taskId: string,
    { autonomy }: SwitchAutonomy,
  ): Promise<TaskView> {
    const result = await this.commands.switchAutonomy(principal.tenantId, taskId, autonomy, newId('inbox'));
    return this.changed(principal, taskId, 'switched', result);
  }

  /** Changes what may change while a task lives. */
  async update(principal: Principal, taskId: string, body: UpdateTask): Promise<TaskView> {
    checkDeadline(body.deadlineAt ?? undefined);
    return this.changed(
      principal,
      taskId,
      'changed',
      await this.commands.update(principal.tenantId, taskId, body, (definition, profile) =>
        this.agents.switched(definition, profile),
      ),
    );
  }

  /** The task after a change, or the error that says why there was none. */
  private async changed(
    principal: Principal,
    taskId: string,
    what: string,
    result: PauseResult | ResumeResult | InterruptResult | SwitchResult | UpdateResult,
  ): Promise<TaskView> {
    if (result === 'not_found') throw notFound('task', taskId);
    const task = await this.get(principal, taskId);
    if (result === 'already_ended') throw finished(task, what);
    return task;
  }
}

/** What came with the task, or else stands in its folder, if that is on this machine. What cannot be read is no agent. */
async function agentFilesOf(
  { agentFiles }: CreateTask,
  workspace: TaskWorkspace,
): Promise<CreateTask['agentFiles']> {
  if (agentFiles.length > 0 || workspace.kind !== 'path') return agentFiles;
  const found = await agentFilesIn(workspace.path, AGENTS_FOLDER);
  return found.flatMap((file) => ('text' in file ? [file] : []));
}

/** The value, or the answer for an id that the tenant has not. */
export function found<T>(value: T | null, taskId: string): T {
  if (value === null) throw notFound('task', taskId);
  return value;
}

/** A deadline that has passed, or comes before the task may begin, is a mistake: the task would fail at once. */
function checkDeadline(deadlineAt: string | undefined, runAt?: string): void {
  if (deadlineAt === undefined) return;
  const [deadline, earliest] = [Date.parse(deadlineAt), Math.max(Date.now(), runAt ? Date.parse(runAt) : 0)];
  if (deadline > earliest) return;
  const detail = `must be after ${new Date(earliest).toISOString()}${runAt ? ', when the task may start' : ', which is now'}`;
  throw new AppError('invalid_request', `deadlineAt ${detail}`, {
    details: { errors: [{ pointer: '/deadlineAt', detail }] },
  });
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

/** The error for a change that comes after the end. */
export function finished(task: TaskView, what: string): AppError {
  return new AppError('task_finished', `Task ${task.id} is ${task.state} and can no longer be ${what}.`, {
    nextActions: [{ action: 'task.create' }, { action: 'task.retry', taskId: task.id, mode: 'new' }],
  });
}
