/** Checkpoints of a tenant's tasks. */
import { Readable } from 'node:stream';
import {
  AppError,
  type CheckpointPage,
  type CheckpointView,
  type PageQuery,
  type TaskDiff,
} from '@bullpen/contracts';
import { packOf } from '@bullpen/checkpoints';
import {
  findCheckpoint,
  getTaskHead,
  pageOfCheckpoints,
  rangeOfTask,
  type CheckpointRange,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POOL, PRISMA, type Pool } from '../http/tokens.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import { found } from '../tasks/tasks.service.js';

/** Longer than a comparison of large trees takes. */
const LIMIT_MS = 120_000;
const NOTHING = { files: 0, insertions: 0, deletions: 0, list: [] };

export interface TaskChanges {
  /** The commits that the pack holds. */
  readonly base: string;
  readonly newest: string;
  readonly pack: Readable;
}

@Injectable()
export class CheckpointsService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    private readonly objects: CheckpointObjects,
  ) {}

  async list({ tenantId }: Principal, taskId: string, query: PageQuery): Promise<CheckpointPage> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return pageOfCheckpoints(this.pool, taskId, query);
  }

  async get({ tenantId }: Principal, id: string): Promise<CheckpointView> {
    const checkpoint = await findCheckpoint(this.pool, { id, tenantId });
    if (checkpoint === null) throw notFound('checkpoint', id);
    return checkpoint;
  }

  /** What the task changed, file by file. */
  async diff({ tenantId }: Principal, taskId: string): Promise<TaskDiff> {
    const range = await this.#rangeOf(tenantId, taskId);
    if (range === null) return { from: null, to: null, diffstat: NOTHING };
    const { first, newest, rootId } = range;
    const diffstat = await this.objects.use(rootId, (checkpoints) =>
      checkpoints.diff(first.commit, newest.commit, AbortSignal.timeout(LIMIT_MS)),
    );
    return { from: first.id, to: newest.id, diffstat: { ...diffstat, list: [...diffstat.list] } };
  }

  /** The same as lines that `git apply` takes. */
  async patch({ tenantId }: Principal, taskId: string): Promise<Readable> {
    const range = await this.#rangeOf(tenantId, taskId);
    if (range === null) return Readable.from([]);
    const { first, newest, rootId } = range;
    return this.objects.stream(rootId, (checkpoints, signal) =>
      checkpoints.patch(first.commit, newest.commit, signal),
    );
  }

  /** Both states as one pack of git, for whoever merges them into a folder. */
  async changes({ tenantId }: Principal, taskId: string): Promise<TaskChanges> {
    const range = await this.#rangeOf(tenantId, taskId);
    if (range === null) throw noCheckpoints(taskId);
    const { first, newest, rootId } = range;
    const commits = [first.commit, newest.commit] as const;
    const pack = await this.objects.stream(rootId, (checkpoints, signal) =>
      packOf(checkpoints, commits, signal),
    );
    return { base: first.commit, newest: newest.commit, pack };
  }

  async #rangeOf(tenantId: string, taskId: string): Promise<CheckpointRange | null> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return rangeOfTask(this.pool, taskId);
  }
}

/** The error for a task of which nothing is stored. */
export function noCheckpoints(taskId: string): AppError {
  return new AppError(
    'checkpoint_unavailable',
    `${taskId} has no checkpoints: it has changed no files, or keeps none.`,
  );
}
