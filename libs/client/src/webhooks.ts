/** Calls about webhooks and their deliveries. */
import {
  CreatedWebhook,
  DeletedWebhook,
  DeliveryDetails,
  DeliveryPage,
  WebhookList,
  WebhookSecret,
  WebhookView,
  type CreateWebhookInput,
  type ListDeliveries,
  type UpdateWebhook,
} from '@bullpen/contracts';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class WebhooksClient {
  constructor(private readonly transport: Transport) {}

  async list(options: CallOptions = {}): Promise<WebhookView[]> {
    const answer = WebhookList;
    return (await this.transport.call({ method: 'GET', path: '/v1/webhooks', answer, ...options })).data;
  }

  get(id: string, options: CallOptions = {}): Promise<WebhookView> {
    return this.transport.call({ method: 'GET', path: pathOf(id), answer: WebhookView, ...options });
  }

  /** Makes a webhook; its secret is shown this once. */
  create(body: CreateWebhookInput, options: CallOptions = {}): Promise<CreatedWebhook> {
    const path = '/v1/webhooks';
    return this.transport.call({ method: 'POST', path, body, answer: CreatedWebhook, ...options });
  }

  /** Changes what is given. */
  update(id: string, body: UpdateWebhook, options: CallOptions = {}): Promise<WebhookView> {
    return this.transport.call({ method: 'PATCH', path: pathOf(id), body, answer: WebhookView, ...options });
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.call({ method: 'DELETE', path: pathOf(id), answer: DeletedWebhook, ...options });
  }

  /** Another secret, shown this once; the one before signs for a day more. */
  rotateSecret(id: string, options: CallOptions = {}): Promise<WebhookSecret> {
    const path = `${pathOf(id)}/rotate-secret`;
    return this.transport.call({ method: 'POST', path, answer: WebhookSecret, ...options });
  }

  /** Queues a ping; `delivery` says later what became of it. */
  test(id: string, options: ChangeOptions = {}): Promise<DeliveryDetails> {
    const path = `${pathOf(id)}/test`;
    return this.transport.call({ method: 'POST', path, answer: DeliveryDetails, ...options });
  }

  /** A page of deliveries, newest first. */
  deliveries(
    id: string,
    query: Partial<ListDeliveries> = {},
    options: CallOptions = {},
  ): Promise<DeliveryPage> {
    const path = `${pathOf(id)}/deliveries`;
    return this.transport.call({ method: 'GET', path, query, answer: DeliveryPage, ...options });
  }

  /** A delivery with its body and all attempts. */
  delivery(id: string, options: CallOptions = {}): Promise<DeliveryDetails> {
    const path = deliveryPathOf(id);
    return this.transport.call({ method: 'GET', path, answer: DeliveryDetails, ...options });
  }

  /** Sends a delivery once more, with the same id. */
  replay(id: string, options: ChangeOptions = {}): Promise<DeliveryDetails> {
    const path = `${deliveryPathOf(id)}/replay`;
    return this.transport.call({ method: 'POST', path, answer: DeliveryDetails, ...options });
  }
}

function pathOf(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}

function deliveryPathOf(id: string): string {
  return `/v1/webhooks/deliveries/${encodeURIComponent(id)}`;
}
