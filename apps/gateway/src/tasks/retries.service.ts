/** Trying again: one task or many, from where they stopped or anew. */
import {
  AppError,
  RaisableLimit,
  type FailureList,
  type FailuresQuery,
  type NextAction,
  type RetryReport,
  type RetryTask,
  type RetryTasks,
  type TaskView,
  type TaskWorkspace,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  costOf,
  findRetryCandidates,
  getTask,
  listFailures,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type RetryCandidate,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { LOGGER, POOL, PRISMA, SETTINGS, TASK_COMMANDS, type Logger, type Pool } from '../http/tokens.js';
import { forkOf, keyedBy } from './new-task.js';
import { checkWorkspace, type WorkspaceSettings } from './workspace-policy.js';
import { found } from './tasks.service.js';

/** So many tasks of a bulk retry begin in each second: a provider that has just recovered should not be overrun. */
const A_SECOND = 20;
/** A bulk retry goes on for this long at most, in ms: well below the time after which its idempotency key is taken for lost. */
const LONGEST_MS = 30_000;
const SHOWN_REFUSALS = 20;

/** Errors of a bulk retry that are its user's to know. */
const TELLING: ReadonlySet<string> = new Set(['invalid_workspace', 'not_found']);

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
    @Inject(LOGGER) private readonly logger: Logger,
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
      ? await this.#redo(tenantId, task, body, await this.#placeIn(tenantId, taskId, body), idempotency)
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

  /** Tries again what fits the filter, each in a transaction of its own; what cannot be tried again stops no other. */
  async retryAll({ tenantId }: Principal, body: RetryTasks): Promise<RetryReport> {
    const { filter, mode, max, dryRun } = body;
    const { matched, candidates } = await findRetryCandidates(this.prisma, tenantId, {
      filter,
      mode,
      max,
      limits: body.limits ?? {},
    });
    const refused = new Map<string, string>();
    const retried: string[] = [];
    const deadline = performance.now() + LONGEST_MS;
    let considered = 0;
    for (const candidate of candidates) {
      if (performance.now() > deadline) break;
      considered += 1;
      const reason =
        candidate.refusal ?? (dryRun ? null : await this.#retryOne(tenantId, candidate, body, retried));
      if (reason !== null) refused.set(candidate.id, reason);
    }
    const looked = candidates.slice(0, considered);
    const able = looked.filter(({ id }) => !refused.has(id));
    if (!dryRun) this.logger.info({ tenantId, matched, retried: retried.length, mode }, 'tasks were retried');
    return {
      dryRun,
      matched,
      considered,
      retryable: able.length,
      byCause: byCause(looked, refused),
      refused: [...refused].slice(0, SHOWN_REFUSALS).map(([id, reason]) => ({ id, reason })),
      retried,
      costSoFarUsd: costOf(able),
    };
  }

  /** Failed tasks, grouped by how they failed. */
  failures({ tenantId }: Principal, query: FailuresQuery): Promise<FailureList> {
    return listFailures(this.prisma, tenantId, query);
  }

  /** Null when it was done; else why not. */
  async #retryOne(
    tenantId: string,
    { id, workspace }: RetryCandidate,
    body: RetryTasks,
    retried: string[],
  ): Promise<string | null> {
    const delayMs = Math.floor(retried.length / A_SECOND) * 1_000;
    try {
      const outcome =
        body.mode === 'new'
          ? await this.#redo(tenantId, { id, workspace }, body, { once: true, delayMs })
          : await this.#resume(tenantId, id, body, delayMs);
      if (outcome?.kind === 'refused') return outcome.reason;
      if (outcome === null) return `Task ${id} no longer exists.`;
      retried.push(outcome.id);
      return null;
    } catch (error) {
      // One that breaks must not keep the others from being tried; its own reason is in the log unless it is ours to tell.
      this.logger.warn({ err: error, taskId: id }, 'a task could not be retried');
      const telling = error instanceof AppError && TELLING.has(error.code);
      return telling ? error.message : `Task ${id} could not be retried; the log of the gateway says why.`;
    }
  }

  async #resume(
    tenantId: string,
    taskId: string,
    { message, limits = {} }: Pick<RetryTask, 'message' | 'limits'>,
    delayMs: number,
  ): Promise<Outcome | null> {
    const request = { messageId: newId('inbox'), message: message ?? null, limits, delayMs };
    const result = await this.commands.retry(tenantId, taskId, request);
    if (result.kind === 'queued') return { kind: 'done', id: taskId };
    return result.kind === 'refused' ? result : null;
  }

  async #redo(
    tenantId: string,
    task: { readonly id: string; readonly workspace: TaskWorkspace },
    { message, limits = {} }: Pick<RetryTask, 'message' | 'limits'>,
    { once = false, delayMs = 0, from }: { once?: boolean; delayMs?: number; from?: TaskWorkspace },
    idempotency?: IdempotencyClaim,
  ): Promise<Outcome | null> {
    // What was allowed then may not be now, and the folder may be gone.
    await checkWorkspace(from ?? task.workspace, this.settings);
    const id = newId('task');
    const request = {
      ...{ taskId: id, message: message ?? null, limits, once, workspace: from },
      runAt: delayMs === 0 ? null : new Date(Date.now() + delayMs),
    };
    const result = await this.commands.redo(tenantId, task.id, request, keyedBy(idempotency, id));
    if (result.kind === 'created') return { kind: 'done', id: result.taskId };
    return result.kind === 'refused' ? { ...result, pointer: null } : null;
  }
}

function byCause(
  candidates: readonly RetryCandidate[],
  refused: ReadonlyMap<string, string>,
): RetryReport['byCause'] {
  const causes = [...new Set(candidates.map(({ cause }) => cause))];
  return causes
    .map((cause) => {
      const all = candidates.filter((candidate) => candidate.cause === cause);
      return { cause, matched: all.length, retryable: all.filter(({ id }) => !refused.has(id)).length };
    })
    .sort((a, b) => b.matched - a.matched);
}

/** What somebody can do whose task cannot be retried like this. */
function waysOut({ id: taskId, endedAt }: TaskView, body: RetryTask, pointer: string | null): NextAction[] {
  const limit = RaisableLimit.safeParse(pointer?.replace('/limits/', '')).data;
  const first: NextAction =
    limit === undefined ? { action: 'task.show', taskId } : { action: 'task.raise_limit', taskId, limit };
  if (isAnew(body) || endedAt === null) return [first];
  return [first, { action: 'task.retry', taskId, mode: 'new' }];
}
