/** Any two checkpoints of a tenant compared, and the files of one as an archive. */
import type { Readable } from 'node:stream';
import type { CheckpointView, TaskDiff } from '@bullpen/contracts';
import { archiveOf } from '@bullpen/checkpoints';
import {
  findCheckpoint,
  getTaskHead,
  newestCheckpoint,
  rangeOfTask,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POOL, PRISMA, type Pool } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';
import { CheckpointObjects } from './checkpoint-objects.js';
import { noCheckpoints } from './checkpoints.service.js';

/** Longer than a comparison of large trees takes. */
const LIMIT_MS = 120_000;

type Pair = readonly [from: CheckpointView, to: CheckpointView];

@Injectable()
export class ComparisonsService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    private readonly objects: CheckpointObjects,
  ) {}

  /** What differs, file by file; without `to` from the newest state of the same workspace. */
  async diff(principal: Principal, fromId: string, toId: string | undefined): Promise<TaskDiff> {
    const [from, to] = await this.#pair(principal, fromId, toId);
    const signal = AbortSignal.timeout(LIMIT_MS);
    const diffstat = await this.objects.use(from.rootId, async (checkpoints, ofTree) => {
      await ofTree(to.rootId).bring(to.commit, signal);
      return checkpoints.diff(from.commit, to.commit, signal);
    });
    return { from: from.id, to: to.id, diffstat: { ...diffstat, list: [...diffstat.list] } };
  }

  /** The same as lines that `git apply` takes. */
  async patch(principal: Principal, fromId: string, toId: string | undefined): Promise<Readable> {
    const [from, to] = await this.#pair(principal, fromId, toId);
    return this.objects.stream(from.rootId, async function* (checkpoints, signal, ofTree) {
      await ofTree(to.rootId).bring(to.commit, signal);
      yield* checkpoints.patch(from.commit, to.commit, signal);
    });
  }

  /** The files of a checkpoint. */
  async archive(principal: Principal, id: string): Promise<Readable> {
    const { rootId, commit } = await this.#find(principal, id);
    return this.objects.stream(rootId, (checkpoints, signal) => archiveOf(checkpoints, commit, signal));
  }

  /** The files of a task as they were stored last. */
  async archiveOfTask({ tenantId }: Principal, taskId: string): Promise<Readable> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    const range = await rangeOfTask(this.pool, taskId);
    if (range === null) throw noCheckpoints(taskId);
    const { rootId, newest } = range;
    return this.objects.stream(rootId, (checkpoints, signal) =>
      archiveOf(checkpoints, newest.commit, signal),
    );
  }

  async #pair(principal: Principal, fromId: string, toId: string | undefined): Promise<Pair> {
    const from = await this.#find(principal, fromId);
    if (toId !== undefined) return [from, await this.#find(principal, toId)];
    return [from, (await newestCheckpoint(this.pool, from.workspaceId)) ?? from];
  }

  async #find({ tenantId }: Principal, id: string): Promise<CheckpointView> {
    const checkpoint = await findCheckpoint(this.pool, { id, tenantId });
    if (checkpoint === null) throw notFound('checkpoint', id);
    return checkpoint;
  }
}
