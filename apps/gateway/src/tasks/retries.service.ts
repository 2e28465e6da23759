/** Trying again: one task or many, from where they stopped or anew. */
import {
  AppError,
  RaisableLimit,
  type FailureList,
  type FailuresQuery,
  type NextAction,
  type RetryTask,
  type TaskView,
  type TaskWorkspace,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  getTask,
  listFailures,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type TaskCommands,
  type Within,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POOL, PRISMA, SETTINGS, TASK_COMMANDS, type Pool } from '../http/tokens.js';
import { forkOf, keyedBy } from './new-task.js';
import { checkWorkspace, type WorkspaceSettings } from './workspace-policy.js';
import { found } from './tasks.service.js';

/** Whether a retry makes a new task. */
export function isAnew({ mode, fromCheckpoint }: RetryTask): boolean {
  return mode === 'new' || fromCheckpoint !== undefined;
}

/** What became of one task. */
type Outcome =
  | { readonly kind: 'done'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly pointer: string | null };

@Injectable()
export class RetriesService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(SETTINGS) private readonly settings: WorkspaceSettings,
  ) {}

  /**
   * Gives a failed task another attempt, or with mode `new` does an ended one anew. Throws `not_retryable`, naming the limit that
   * would have to be raised. With `idempotency` a new task and its key are stored together.
   */
  async retry(
    principal: Principal,
    taskId: string,
    body: RetryTask,
    idempotency?: IdempotencyClaim,
  ): Promise<TaskView> {
    const { tenantId } = principal;
    const task = found(await getTask(this.prisma, tenantId, taskId), taskId);
    const outcome = isAnew(body)
      ? await this.#anew(tenantId, task, body, idempotency)
      : await this.#resume(tenantId, taskId, body, 0);
    if (outcome === null) throw notFound('task', taskId);
    if (outcome.kind === 'done') return found(await getTask(this.prisma, tenantId, outcome.id), outcome.id);
    const { reason, pointer } = outcome;
    const errors = pointer === null ? undefined : [{ pointer, detail: reason }];
    const nextActions = waysOut(task, body, pointer);
    throw new AppError('not_retryable', reason, { details: { errors }, nextActions });
  }

  /** Where a new task goes on; from the beginning unless a checkpoint is named. */
  async #placeIn(
    tenantId: string,
    taskId: string,
    { fromCheckpoint }: RetryTask,
  ): Promise<{ from?: TaskWorkspace }> {
    if (fromCheckpoint === undefined) return {};
    const fork = await forkOf(this.pool, tenantId, fromCheckpoint);
    if (fork.taskId === taskId) return { from: fork.workspace };
    const detail = `is a checkpoint of ${fork.taskId}, not of ${taskId}; to go on from it, fork it`;
    throw new AppError('invalid_request', `${fromCheckpoint} ${detail}.`, {
      details: { errors: [{ pointer: '/fromCheckpoint', detail }] },
      nextActions: [{ action: 'checkpoint.list', taskId }],
    });
  }

  /**
   * The same for one of many: as the task whose id is given, or from where it stopped. Null when it no longer exists. Throws `invalid_workspace`;
   * `within` runs in the transaction that does it.
   */
  async tryOne(
    { tenantId, taskId, newTaskId }: { tenantId: string; taskId: string; newTaskId: string | undefined },
    body: Pick<RetryTask, 'message' | 'limits'>,
    when: { readonly once: boolean; readonly delayMs: number },
    within: Within,
  ): Promise<Outcome | null> {
    if (newTaskId === undefined) return this.#resume(tenantId, taskId, body, when.delayMs, within);
    const task = await getTask(this.prisma, tenantId, taskId);
    if (task === null) return null;
    return this.#redo(tenantId, task, body, { ...when, newTaskId }, within);
  }

  /** Failed tasks, grouped by how they failed. */
  failures({ tenantId }: Principal, query: FailuresQuery): Promise<FailureList> {
    return listFailures(this.prisma, tenantId, query);
  }

  async #anew(
    tenantId: string,
    task: TaskView,
    body: RetryTask,
    idempotency?: IdempotencyClaim,
  ): Promise<Outcome | null> {
    const newTaskId = newId('task');
    const place = await this.#placeIn(tenantId, task.id, body);
    const how = { ...place, once: false, delayMs: 0, newTaskId };
    return this.#redo(tenantId, task, body, how, keyedBy(idempotency, newTaskId));
  }

  async #resume(
    tenantId: string,
    taskId: string,
    { message, limits = {} }: Pick<RetryTask, 'message' | 'limits'>,
    delayMs: number,
    within?: Within,
  ): Promise<Outcome | null> {
    const request = { messageId: newId('inbox'), message: message ?? null, limits, delayMs };
    const result = await this.commands.retry(tenantId, taskId, request, within);
    if (result.kind === 'queued') return { kind: 'done', id: taskId };
    return result.kind === 'refused' ? result : null;
  }

  async #redo(
    tenantId: string,
    task: Pick<TaskView, 'id' | 'workspace'>,
    { message, limits = {} }: Pick<RetryTask, 'message' | 'limits'>,
    how: { once: boolean; delayMs: number; newTaskId: string; from?: TaskWorkspace },
    within?: Within,
  ): Promise<Outcome | null> {
    const { once, delayMs, newTaskId, from } = how;
    // What was allowed then may not be now, and the folder may be gone.
    await checkWorkspace(from ?? task.workspace, this.settings);
    const request = {
      ...{ taskId: newTaskId, message: message ?? null, limits, once, workspace: from },
      runAt: delayMs === 0 ? null : new Date(Date.now() + delayMs),
    };
    const result = await this.commands.redo(tenantId, task.id, request, within);
    if (result.kind === 'created') return { kind: 'done', id: result.taskId };
    return result.kind === 'refused' ? { ...result, pointer: null } : null;
  }
}

/** What somebody can do whose task cannot be retried like this. */
function waysOut({ id: taskId, endedAt }: TaskView, body: RetryTask, pointer: string | null): NextAction[] {
  const limit = RaisableLimit.safeParse(pointer?.replace('/limits/', '')).data;
  const first: NextAction =
    limit === undefined ? { action: 'task.show', taskId } : { action: 'task.raise_limit', taskId, limit };
  if (isAnew(body) || endedAt === null) return [first];
  return [first, { action: 'task.retry', taskId, mode: 'new' }];
}
