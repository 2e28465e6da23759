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
  | 'delivery'
  | 'proc'
  | 'ckpt'
  | 'bulk'
  | 'view'
  | 'share'
  | 'restore';

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

/** Id of a process of an agent. */
export const ProcessId = idOf('proc');

/** Id of a checkpoint. */
export const CheckpointId = idOf('ckpt');

/** Id of a bulk action. */
export const BulkId = idOf('bulk');
/** Id of a saved view. */
export const ViewId = idOf('view');
/** Id of a share of a task. */
export const ShareId = idOf('share');
/** Id of a restore that somebody asked for. */
export const RestoreId = idOf('restore');

/** Kinds of ids that people type, rarely in full. */
export const IdKind = z.enum(['task', 'ask', 'inbox', 'webhook', 'delivery', 'proc', 'ckpt']);
export type IdKind = z.infer<typeof IdKind>;

/** Whether it is an id of this kind, with nothing left out. */
export function isFullId(kind: IdKind, text: string): boolean {
  return idOf(kind).safeParse(text).success;
}

export const FindIds = z.strictObject({
  kind: IdKind,
  /** The beginning of ids, with their prefix or without; or, without a prefix, their end. */
  piece: z.string().regex(/^[0-9a-z_]{1,40}$/, 'must be a piece of an id: digits, lower-case letters, _'),
});
export type FindIds = z.infer<typeof FindIds>;

export const FoundIds = z
  .object({
    /** Newest first, ten at most. */
    data: z.array(z.object({ id: z.string(), title: z.string() })),
    hasMore: z.boolean(),
  })
  .meta({ id: 'FoundIds' });
export type FoundIds = z.infer<typeof FoundIds>;
