/** Endpoints of webhooks: what they may be, and what is said when there is none. */
import {
  AppError,
  DeliveryId,
  WebhookId,
  type CreatedWebhook,
  type CreateWebhook,
  type DeliveryDetails,
  type DeliveryPage,
  type ListDeliveries,
  type UpdateWebhook,
  type WebhookSecret,
  type WebhookView,
} from '@bullpen/contracts';
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  pingWebhook,
  replayDelivery,
  rotateWebhookSecret,
  updateWebhook,
  type Prisma,
  type Queued,
  type WebhookRef,
} from '@bullpen/store';
import { newWebhookSecret, resolveTarget } from '@bullpen/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { invalidRequest, notFound } from '../http/problem.js';
import { POOL, PRISMA, SETTINGS, type GatewaySettings, type Pool } from '../http/tokens.js';

@Injectable()
export class WebhooksService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  async create(tenantId: string, body: CreateWebhook): Promise<CreatedWebhook> {
    await this.checkAddress(body.url);
    const secret = newWebhookSecret();
    const id = await createWebhook(this.pool, tenantId, { ...body, secret });
    if (id === null) throw taken(body.url);
    return { ...(await this.view({ tenantId, id })), secret };
  }

  async view(ref: WebhookRef): Promise<WebhookView> {
    const webhook = WebhookId.safeParse(ref.id).success ? await getWebhook(this.prisma, ref) : null;
    if (webhook === null) throw unknown(ref);
    return webhook;
  }

  async update(ref: WebhookRef, change: UpdateWebhook): Promise<WebhookView> {
    await this.view(ref);
    if (change.url !== undefined) await this.checkAddress(change.url);
    const outcome = await updateWebhook(this.pool, ref, change);
    if (outcome === 'taken') throw taken(change.url ?? '');
    return this.view(ref);
  }

  async delete(ref: WebhookRef): Promise<void> {
    if (WebhookId.safeParse(ref.id).success && (await deleteWebhook(this.pool, ref))) return;
    throw unknown(ref);
  }

  async rotateSecret(ref: WebhookRef): Promise<WebhookSecret> {
    const secret = newWebhookSecret();
    const until = WebhookId.safeParse(ref.id).success
      ? await rotateWebhookSecret(this.pool, ref, secret)
      : null;
    if (until === null) throw unknown(ref);
    return { secret, previousUntil: until.toISOString() };
  }

  async ping(ref: WebhookRef): Promise<DeliveryDetails> {
    await this.view(ref);
    return this.queued(ref, await pingWebhook(this.pool, ref));
  }

  async deliveries(ref: WebhookRef, query: ListDeliveries): Promise<DeliveryPage> {
    await this.view(ref);
    return listDeliveries(this.prisma, ref, query);
  }

  async delivery(ref: WebhookRef): Promise<DeliveryDetails> {
    const delivery = DeliveryId.safeParse(ref.id).success ? await getDelivery(this.prisma, ref) : null;
    if (delivery === null) throw notFound('delivery', ref.id);
    return delivery;
  }

  async replay(ref: WebhookRef): Promise<DeliveryDetails> {
    const { webhookId } = await this.delivery(ref);
    return this.queued({ ...ref, id: webhookId }, await replayDelivery(this.pool, ref));
  }

  private queued(webhook: WebhookRef, queued: Queued): Promise<DeliveryDetails> {
    if (queued.kind === 'queued') return this.delivery({ ...webhook, id: queued.id });
    if (queued.kind === 'not_found') throw unknown(webhook);
    throw new AppError('webhook_disabled', `The webhook ${webhook.id} is disabled; nothing is sent to it.`, {
      nextActions: [{ action: 'webhook.enable', webhookId: webhook.id }],
    });
  }

  /** A look ahead, so that a mistake shows at once: what counts is the look at each delivery. */
  private async checkAddress(url: string): Promise<void> {
    const target = await resolveTarget(url, { allowed: this.settings.WEBHOOK_ALLOW_PRIVATE ?? [] });
    if (target.kind !== 'open')
      throw invalidRequest([{ pointer: '/url', detail: `cannot be used: ${target.reason}` }], 'The webhook');
  }
}

function unknown({ id }: WebhookRef): AppError {
  return notFound('webhook', id);
}

function taken(url: string): AppError {
  return new AppError('already_exists', `There is already a webhook for ${url}.`, {
    nextActions: [{ action: 'webhook.list' }, { action: 'webhook.rotate_secret' }],
  });
}
