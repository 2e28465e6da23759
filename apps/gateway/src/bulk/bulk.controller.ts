/** Bulk actions: looked at first, then done, whatever dies meanwhile. */
import {
  BulkActionPage,
  BulkActionView,
  BulkItemPage,
  BulkPreview,
  CreateBulkAction,
  ListBulkItems,
  PageQuery,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  completeWithin,
  getBulkAction,
  keyName,
  listBulkActions,
  listBulkItems,
  previewBulk,
  type Principal,
  type Prisma,
  type TaskConditions,
} from '@bullpen/store';
import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { BulkIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { PRISMA } from '../http/tokens.js';
import { BulkRunner } from './bulk-runner.js';

@ApiTags('bulk actions')
@Controller('v1/bulk-actions')
export class BulkController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    private readonly runner: BulkRunner,
  ) {}

  @Post('preview')
  @ApiRoute({
    summary: 'What a bulk action would do; nothing is done',
    description: 'How many tasks fit, to how many of them it can be done, and why not to the others.',
    answer: BulkPreview,
    problems: ['invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  previewBulkAction(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: CreateBulkAction }) body: CreateBulkAction,
  ): Promise<BulkPreview> {
    return previewBulk(this.prisma, tenantId, conditionsOf(body), body.action);
  }

  @Post()
  @ApiRoute({
    summary: 'Do one thing to many tasks: all that fit a filter, or those that are named',
    description:
      'What fits is settled now. Once this answers 202 the action cannot be lost. Each task is tried by itself: one that is refused stops no other. Retried tasks begin twenty a second.',
    status: 202,
    answer: BulkActionView,
    idempotent: true,
  })
  async createBulkAction(
    @CurrentPrincipal() { tenantId, keyId }: Principal,
    @Body({ schema: CreateBulkAction }) body: CreateBulkAction,
    @Req() { idempotency }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkActionView> {
    const id = newId('bulk');
    const location = `/v1/bulk-actions/${id}`;
    await this.runner.work.create(
      {
        ...{ id, tenantId, action: body.action, filter: body.filter ?? null },
        ...{ conditions: conditionsOf(body), createdBy: await keyName(this.prisma, keyId) },
      },
      idempotency &&
        ((client) =>
          completeWithin(client, idempotency, { status: 202, location, response: { committedBulkId: id } })),
    );
    void this.runner.poke();
    void reply.header('location', location);
    return this.#view(tenantId, id);
  }

  @Get()
  @ApiRoute({ summary: 'Bulk actions, newest first', answer: BulkActionPage })
  listBulkActions(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<BulkActionPage> {
    return listBulkActions(this.prisma, tenantId, query);
  }

  @Get(':id')
  @ApiRoute({ summary: 'A bulk action and how far it is', answer: BulkActionView, problems: ['not_found'] })
  getBulkAction(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', BulkIdPipe) id: string,
  ): Promise<BulkActionView> {
    return this.#view(tenantId, id);
  }

  @Get(':id/items')
  @ApiRoute({
    summary: 'What became of each task of a bulk action',
    description:
      'In the order in which they are tried; with `state=refused` those that it could not be done to, and why.',
    answer: BulkItemPage,
    problems: ['not_found'],
  })
  async listBulkItems(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', BulkIdPipe) id: string,
    @Query({ schema: ListBulkItems }) query: ListBulkItems,
  ): Promise<BulkItemPage> {
    await this.#view(tenantId, id);
    return listBulkItems(this.prisma, id, query);
  }

  @Post(':id/stop')
  @ApiRoute({
    summary: 'Stop a bulk action where it is',
    description: 'What was done stays done; the tasks that it has not come to are left alone.',
    answer: BulkActionView,
    idempotent: true,
    problems: ['not_found'],
  })
  async stopBulkAction(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', BulkIdPipe) id: string,
  ): Promise<BulkActionView> {
    await this.runner.work.stop(tenantId, id);
    return this.#view(tenantId, id);
  }

  async #view(tenantId: string, id: string): Promise<BulkActionView> {
    const view = await getBulkAction(this.prisma, tenantId, id);
    if (view === null) throw notFound('bulk action', id);
    return view;
  }
}

/** Whoever names a task means it, archived or not. */
function conditionsOf({ filter, ids }: CreateBulkAction): TaskConditions {
  return ids === undefined ? { ...filter } : { ids };
}
