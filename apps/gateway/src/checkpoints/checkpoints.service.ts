/** Checkpoints of a tenant's tasks. */
import type { CheckpointPage, CheckpointView, PageQuery } from '@bullpen/contracts';
import { findCheckpoint, getTaskHead, pageOfCheckpoints, type Principal, type Prisma } from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POOL, PRISMA, type Pool } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';

@Injectable()
export class CheckpointsService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
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
}
