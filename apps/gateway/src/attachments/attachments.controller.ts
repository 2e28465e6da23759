/** Pictures and documents that go with tasks: kept once, and shown to people again. */
import { CreateAttachment, MAX_MEDIA_BYTES, Media } from '@bullpen/contracts';
import { mediaFacts, mediaIssue } from '@bullpen/core';
import { Attachments, type Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { AttachmentDigestPipe } from '../http/id-pipes.js';
import { invalidRequest, notFound } from '../http/problem.js';
import { contentOfBase64 } from './base64.js';

/** The content as base64, and what is around it. */
const BODY_LIMIT = Math.ceil(MAX_MEDIA_BYTES / 3) * 4 + 1_024;

@ApiTags('attachments')
@Controller('v1/attachments')
export class AttachmentsController {
  constructor(private readonly attachments: Attachments) {}

  @Post()
  @RouteConfig({ bodyLimit: BODY_LIMIT })
  @ApiRoute({
    summary: 'Keep a picture or a PDF, to go with tasks',
    description:
      'PNG, JPEG, GIF, WebP or PDF, by its content, up to 20 MiB. The same content is kept once and has the same `sha256`; a context item of the kind `attachment` names it. Text needs ' +
      'no attachment: it goes along as a context item of the kind `text`.',
    status: 201,
    answer: Media,
    idempotent: true,
  })
  async createAttachment(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: CreateAttachment }) { data }: CreateAttachment,
  ): Promise<Media> {
    const content = contentOfBase64(data);
    if (content === null) throw refused('is not base64');
    const facts = mediaFacts(content);
    const issue = facts && mediaIssue(facts);
    if (issue !== null) throw refused(issue);
    const media = await this.attachments.keep(tenantId, content);
    if (media === null)
      throw refused('is the base64 of no PNG, JPEG, GIF, WebP or PDF, whatever its name says');
    return media;
  }

  /** Pictures may be shown in a page; nothing in any of them ever runs there. */
  @Get(':digest')
  @ApiRoute({
    summary: 'The content of an attachment',
    description: 'As it was kept, under its own media type.',
    content: 'application/octet-stream',
    problems: ['not_found'],
  })
  async getAttachment(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('digest', AttachmentDigestPipe) sha256: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [media, content] = await Promise.all([
      this.attachments.describe(tenantId, sha256),
      this.attachments.content(tenantId, sha256),
    ]);
    if (media === null || content === null) throw notFound('attachment', sha256);
    const isImage = media.mediaType.startsWith('image/');
    await reply
      .type(media.mediaType)
      .header('content-disposition', isImage ? 'inline' : `attachment; filename="${sha256.slice(0, 12)}.pdf"`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, max-age=31536000, immutable')
      .send(content);
  }
}

function refused(detail: string) {
  return invalidRequest([{ pointer: '/data', detail }], 'The body');
}
