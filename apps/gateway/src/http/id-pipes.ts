/** Ids in paths. What has not even the form of an id is answered like an id that does not exist, and never reaches SQL. */
import {
  BulkId,
  CheckpointId,
  DeliveryId,
  InboxId,
  InteractionId,
  MediaDigest,
  ProcessId,
  ShareId,
  RestoreId,
  TaskId,
  TenantId,
  ViewId,
  WebhookId,
} from '@bullpen/contracts';
import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { z } from 'zod';
import { notFound, type Kind } from './problem.js';

function idPipe(kind: Kind, form: z.ZodType<string>): Type<PipeTransform<string, string>> {
  @Injectable()
  class IdPipe implements PipeTransform<string, string> {
    transform(value: string): string {
      if (form.safeParse(value).success) return value;
      throw notFound(kind, value);
    }
  }
  return IdPipe;
}

export const TaskIdPipe = idPipe('task', TaskId);
export const InboxIdPipe = idPipe('message', InboxId);
export const CallIdPipe = idPipe('tool call', z.string().regex(/^[a-z]{1,20}_[0-9a-z]{26}$/));
export const ModelCallIdPipe = idPipe('model call', z.string().regex(/^mcall_[0-9a-z]{26}$/));
export const AttachmentDigestPipe = idPipe('attachment', MediaDigest);
export const InteractionIdPipe = idPipe('interaction', InteractionId);
export const CheckpointIdPipe = idPipe('checkpoint', CheckpointId);
export const RestoreIdPipe = idPipe('restore', RestoreId);
export const ProcessIdPipe = idPipe('process', ProcessId);
export const WebhookIdPipe = idPipe('webhook', WebhookId);
export const DeliveryIdPipe = idPipe('delivery', DeliveryId);
export const TenantIdPipe = idPipe('tenant', TenantId);
export const BulkIdPipe = idPipe('bulk action', BulkId);
export const ShareIdPipe = idPipe('share', ShareId);
export const ViewIdPipe = idPipe('saved view', ViewId);
export const KeyIdPipe = idPipe('key', z.string().regex(/^key_[0-9a-z]{26}$/));
export const QueueNamePipe = idPipe('queue', z.string().regex(/^[a-z][a-z-]{0,39}$/));
export const WorkerIdPipe = idPipe('worker', z.string().regex(/^worker_[0-9a-z]{26}$/));
export const ProviderIdPipe = idPipe('provider key', z.string().regex(/^[0-9a-f]{16}$/));
