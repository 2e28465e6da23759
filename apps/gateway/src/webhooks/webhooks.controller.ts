/** Webhooks: who is told of what waits and what ended. */
import {
  CreatedWebhook,
  CreateWebhook,
  DeletedWebhook,
  DeliveryDetails,
  DeliveryPage,
  ListDeliveries,
  UpdateWebhook,
  WebhookList,
  WebhookSecret,
  WebhookView,
} from '@bullpen/contracts';
import { listWebhooks, type Principal, type Prisma } from '@bullpen/store';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { DeliveryIdPipe, WebhookIdPipe } from '../http/id-pipes.js';
import { PRISMA } from '../http/tokens.js';
import { WebhooksService } from './webhooks.service.js';

const WITH_BODY = ['invalid_json', 'body_too_large', 'unsupported_media_type'] as const;

@ApiTags('webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    @Inject(WebhooksService) private readonly webhooks: WebhooksService,
    @Inject(PRISMA) private readonly prisma: Prisma,
  ) {}

  @Post()
  @RouteConfig({ secretAnswer: true })
  @ApiRoute({
    summary: 'Add a webhook for what waits and what ended',
    description:
      'Messages are signed as Standard Webhooks says; the secret is shown only once. A repeated request does not create a second webhook: each address has one.',
    status: 201,
    answer: CreatedWebhook,
    problems: ['already_exists', ...WITH_BODY],
  })
  async createWebhook(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: CreateWebhook }) body: CreateWebhook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedWebhook> {
    const webhook = await this.webhooks.create(tenantId, body);
    void reply.header('location', `/v1/webhooks/${webhook.id}`);
    return webhook;
  }

  @Get()
  @ApiRoute({ summary: 'All webhooks', answer: WebhookList })
  async listWebhooks(@CurrentPrincipal() { tenantId }: Principal): Promise<WebhookList> {
    return { data: await listWebhooks(this.prisma, tenantId) };
  }

  @Get(':id')
  @ApiRoute({ summary: 'One webhook', answer: WebhookView, problems: ['not_found'] })
  getWebhook(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
  ): Promise<WebhookView> {
    return this.webhooks.view({ tenantId, id });
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Change, disable or enable a webhook',
    description:
      'Messages that are still to be sent go to the new address. What happens while it is disabled is never sent.',
    answer: WebhookView,
    problems: ['not_found', 'already_exists', ...WITH_BODY],
  })
  updateWebhook(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
    @Body({ schema: UpdateWebhook }) body: UpdateWebhook,
  ): Promise<WebhookView> {
    return this.webhooks.update({ tenantId, id }, body);
  }

  @Delete(':id')
  @ApiRoute({
    summary: 'Delete a webhook and the log of its deliveries',
    answer: DeletedWebhook,
    problems: ['not_found'],
  })
  async deleteWebhook(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
  ): Promise<DeletedWebhook> {
    await this.webhooks.delete({ tenantId, id });
    return { id };
  }

  @Post(':id/rotate-secret')
  @RouteConfig({ secretAnswer: true })
  @ApiRoute({
    summary: 'Get a new secret',
    description: 'It is shown only once. For 24 hours, messages are also signed with the previous secrets.',
    status: 201,
    answer: WebhookSecret,
    problems: ['not_found'],
  })
  rotateWebhookSecret(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
  ): Promise<WebhookSecret> {
    return this.webhooks.rotateSecret({ tenantId, id });
  }

  @Post(':id/test')
  @ApiRoute({
    summary: 'Send a message of the type `ping`',
    description: 'It is queued; the delivery in the answer shows later what happened to it.',
    status: 201,
    answer: DeliveryDetails,
    idempotent: true,
    problems: ['not_found', 'webhook_disabled'],
  })
  async testWebhook(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeliveryDetails> {
    const delivery = await this.webhooks.ping({ tenantId, id });
    void reply.header('location', `/v1/webhooks/deliveries/${delivery.id}`);
    return delivery;
  }

  @Get(':id/deliveries')
  @ApiRoute({ summary: 'Deliveries, newest first', answer: DeliveryPage, problems: ['not_found'] })
  listDeliveries(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', WebhookIdPipe) id: string,
    @Query({ schema: ListDeliveries }) query: ListDeliveries,
  ): Promise<DeliveryPage> {
    return this.webhooks.deliveries({ tenantId, id }, query);
  }

  @Get('deliveries/:id')
  @ApiRoute({
    summary: 'A delivery with its body and all attempts',
    answer: DeliveryDetails,
    problems: ['not_found'],
  })
  getDelivery(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', DeliveryIdPipe) id: string,
  ): Promise<DeliveryDetails> {
    return this.webhooks.delivery({ tenantId, id });
  }

  @Post('deliveries/:id/replay')
  @ApiRoute({
    summary: 'Send a delivery again, with the same id',
    answer: DeliveryDetails,
    idempotent: true,
    problems: ['not_found', 'webhook_disabled'],
  })
  replayDelivery(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', DeliveryIdPipe) id: string,
  ): Promise<DeliveryDetails> {
    return this.webhooks.replay({ tenantId, id });
  }
}
