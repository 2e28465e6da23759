/** Typed, sortable ids (`task_01j…`): a prefix and a 26-character lower-case base32 UUIDv7, as TypeID 0.3 writes them. */
import { z } from 'zod';

/** The kinds of ids; the prefix says what a pasted id is. */
export type IdPrefix =
  | 'task'
  | 'msg'
  | 'call'
  | 'mcall'
  | 'wait'
  | 'inbox'
  | 'ask'
  | 'usage'
  | 'key'
  | 'worker'
  | 'req'
  | 'webhook'
  | 'delivery';

const idOf = (prefix: IdPrefix) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), `must be an id that starts with ${prefix}_`);

/** Id of a task. */
export const TaskId = idOf('task');
/** Id of an interaction. */
export const InteractionId = idOf('ask');
/** Id of a steering message in a task's inbox. */
export const InboxId = idOf('inbox');
/** Id of an endpoint of webhooks. */
export const WebhookId = idOf('webhook');
/** Id of a delivery: the `webhook-id` that its receiver sees. */
export const DeliveryId = idOf('delivery');
