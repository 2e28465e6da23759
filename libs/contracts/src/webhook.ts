/** Webhooks: who is told what waits and what ended, what the messages say, and what happened to them. */
import { z } from 'zod';
import { PageQuery } from './api.js';

/** Events that an endpoint can get. `task.waiting`: a task needs a person, that is an approval, an answer, money or a message. */
export const WebhookEventType = z.enum([
  'task.waiting',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'interaction.opened',
  'interaction.closed',
]);
export type WebhookEventType = z.infer<typeof WebhookEventType>;

const Address = z
  .string()
  .max(2_000)
  .refine(
    isAddress,
    'must be a URL that starts with https:// or http://, without a user, password or fragment',
  );
const Description = z.string().trim().max(200);
const Events = z
  .array(WebhookEventType)
  .min(1)
  .max(WebhookEventType.options.length)
  .describe('Which events to send.');
const Subtasks = z.boolean().describe('Also send events of subtasks, not only of tasks without a parent.');

export const WebhookView = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(WebhookEventType),
    subtasks: Subtasks,
    createdAt: z.iso.datetime(),
    failures: z.int().describe('Attempts that failed since the last one that succeeded.'),
    failingSince: z.iso.datetime().nullable(),
    disabledAt: z.iso.datetime().nullable(),
    disabledReason: z.string().nullable(),
  })
  .meta({ id: 'Webhook' });
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookList = z.object({ data: z.array(WebhookView) }).meta({ id: 'WebhookList' });
export type WebhookList = z.infer<typeof WebhookList>;

/** Body of `POST /v1/webhooks`. */
export const CreateWebhook = z
  .strictObject({
    url: Address,
    description: Description.default(''),
    events: Events.default([...WebhookEventType.options]),
    subtasks: Subtasks.default(false),
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;
export type CreateWebhookInput = z.input<typeof CreateWebhook>;

/** What is left out stays as it is. */
export const UpdateWebhook = z
  .strictObject({
    url: Address.optional(),
    description: Description.optional(),
    events: Events.optional(),
    subtasks: Subtasks.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'A disabled webhook is sent nothing, and messages that are still to be sent to it are given up.',
      ),
  })
  .meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

/** A new webhook with its secret, which is shown only once. */
export const CreatedWebhook = WebhookView.extend({ secret: z.string() }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

/** A new secret, shown only once. */
export const WebhookSecret = z
  .object({
    secret: z.string(),
    previousUntil: z.iso
      .datetime()
      .describe('Until then, messages are also signed with the previous secret.'),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** What is left of a webhook that was deleted. */
export const DeletedWebhook = z.object({ id: z.string() }).meta({ id: 'DeletedWebhook' });
export type DeletedWebhook = z.infer<typeof DeletedWebhook>;

/** `failed`: all attempts are used up, or the webhook was disabled. */
export const DeliveryState = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const DeliveryView = z
  .object({
    id: z.string().describe('The `webhook-id` of the message: the same for all attempts.'),
    webhookId: z.string(),
    type: z.string(),
    taskId: z.string().nullable(),
    state: DeliveryState,
    attempts: z.int(),
    nextAt: z.iso.datetime().nullable().describe('When the next attempt is due; null when there is none.'),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryView = z.infer<typeof DeliveryView>;

export const DeliveryPage = z
  .object({ data: z.array(DeliveryView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'WebhookDeliveryPage' });
export type DeliveryPage = z.infer<typeof DeliveryPage>;

/** Query of the deliveries of a webhook, newest first. */
export const ListDeliveries = PageQuery.extend({ state: DeliveryState.optional() }).meta({
  id: 'ListWebhookDeliveries',
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

const DeliveryAttempt = z
  .object({
    number: z.int(),
    at: z.iso.datetime(),
    status: z.int().nullable(),
    durationMs: z.int(),
    error: z.string().nullable(),
    response: z.string().nullable().describe('The first bytes of the answer.'),
  })
  .meta({ id: 'WebhookAttempt' });
type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** A delivery with what was sent and the result of each attempt. A missing number is an attempt whose worker was lost. */
export const DeliveryDetails = DeliveryView.extend({
  payload: z.string().describe('The body, exactly as it is signed.'),
  log: z.array(DeliveryAttempt),
}).meta({ id: 'WebhookDeliveryDetails' });
export type DeliveryDetails = z.infer<typeof DeliveryDetails>;

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';
}
