/** Exports, and links that show a task to outsiders. */
import {
  AppError,
  CreateShare,
  Deleted,
  EventPage,
  ExportQuery,
  NewShare,
  SharedEventsQuery,
  SharedTree,
  ShareList,
  SharePreview,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  countOpening,
  createShare,
  getTaskHead,
  keyName,
  listShares,
  openShare,
  revokeShare,
  type OpenShare,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal, Public } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ShareIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { GATEWAY_INFO, PRISMA, type GatewayInfo } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';
import { ExportsService } from './exports.service.js';

const ShareBody = CreateShare.prefault({});

@ApiTags('shares')
@Controller('v1')
export class SharesController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(GATEWAY_INFO) private readonly gateway: GatewayInfo,
    private readonly exports: ExportsService,
  ) {}

  @Get('tasks/:id/export')
  @ApiRoute({
    summary: 'A task and everything below it as a document',
    description:
      'Markdown to read, or with `format=json` all of it as a `TaskExport`. Keys, tokens and home folders are masked. Pictures and documents are named; with `attachments=true` their contents come along.',
    content: 'text/markdown',
    problems: ['not_found'],
  })
  async exportTask(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: ExportQuery }) { format, attachments }: ExportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const text = await (format === 'json'
      ? this.exports.json(tenantId, id, attachments === 'true')
      : this.exports.text(tenantId, id));
    const [type, end] = format === 'json' ? ['application/json', 'json'] : ['text/markdown', 'md'];
    void reply
      .type(`${type}; charset=utf-8`)
      .header('content-disposition', `attachment; filename="${id}.${end}"`);
    return text;
  }

  @Get('tasks/:id/shares/preview')
  @ApiRoute({
    summary: 'What a share or an export of a task would mask',
    description: 'A look before it goes out.',
    answer: SharePreview,
    problems: ['not_found'],
  })
  previewShare(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<SharePreview> {
    return this.exports.preview(tenantId, id);
  }

  @Post('tasks/:id/shares')
  @RouteConfig({ secretAnswer: true })
  @ApiRoute({
    summary: 'Make a link that shows a task and everything below it to outsiders',
    description:
      'Read only, masked, until it expires or is revoked. The link is told only once: only a hash of its token is kept.',
    status: 201,
    answer: NewShare,
    problems: ['not_found', 'invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  async createShare(
    @CurrentPrincipal() { tenantId, keyId }: Principal,
    @Param('id', TaskIdPipe) taskId: string,
    @Body({ schema: ShareBody }) { days }: CreateShare,
  ): Promise<NewShare> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    const createdBy = await keyName(this.prisma, keyId);
    const share = { id: newId('share'), tenantId, taskId, createdBy, days };
    const { view, token } = await createShare(this.prisma, share);
    return { ...view, url: `${this.gateway.url()}/shared#${token}` };
  }

  @Get('tasks/:id/shares')
  @ApiRoute({ summary: 'The links of a task, newest first', answer: ShareList, problems: ['not_found'] })
  async listShares(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', TaskIdPipe) taskId: string,
  ): Promise<ShareList> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return { data: await listShares(this.prisma, tenantId, taskId) };
  }

  @Delete('shares/:id')
  @ApiRoute({
    summary: 'Revoke a link: it shows nothing from now on',
    answer: Deleted,
    problems: ['not_found'],
  })
  async revokeShare(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', ShareIdPipe) id: string,
  ): Promise<Deleted> {
    if (!(await revokeShare(this.prisma, tenantId, id))) throw notFound('share', id);
    return { id };
  }

  @Get('shared')
  @Public()
  @ApiRoute({
    summary: 'What a link shows: its tasks',
    description: 'Authorization: `Bearer <token of the link>`. Everything is masked on the server.',
    answer: SharedTree,
    problems: ['unauthorized'],
  })
  async getShared(@Req() request: FastifyRequest): Promise<SharedTree> {
    const share = await this.#opened(request);
    await countOpening(this.prisma, share.id);
    return this.exports.shared(share);
  }

  @Get('shared/events')
  @Public()
  @ApiRoute({
    summary: 'What a link shows: the events of one of its tasks',
    answer: EventPage,
    problems: ['unauthorized', 'not_found'],
  })
  async listSharedEvents(
    @Req() request: FastifyRequest,
    @Query({ schema: SharedEventsQuery }) query: SharedEventsQuery,
  ): Promise<EventPage> {
    return this.exports.sharedEvents(await this.#opened(request), query);
  }

  async #opened({ headers }: FastifyRequest): Promise<OpenShare> {
    const token = /^Bearer +(share_\S{20,100})$/.exec(headers.authorization ?? '')?.[1];
    const share = token === undefined ? null : await openShare(this.prisma, token);
    if (share !== null) return share;
    throw new AppError('unauthorized', 'This link does not exist, has expired or was revoked.');
  }
}
