/** Brings the bytes of pictures and documents into a request, right before it is sent: rows and everything made of them only refer to them. */
import { AppError, mediaText } from '@bullpen/contracts';
import { mediaIn } from '../conversation/shown-media.js';
import type { ModelRequest } from '../ports/model.js';
import type { Run } from './run.js';

/**
 * The request with its bytes.
 * @throws AppError `media_lost` when one is gone: without it the model would answer about something that it has not seen.
 */
export async function withBytes(
  { deps, state: { task } }: Run,
  request: ModelRequest,
): Promise<ModelRequest> {
  const media = new Map<string, string>();
  for (const one of mediaIn(request.messages)) {
    if (media.has(one.sha256)) continue;
    const data = (await deps.media?.read(task.tenantId, one.sha256)) ?? null;
    if (data === null)
      throw new AppError(
        'media_lost',
        `An attachment of the conversation is not stored any more: ${mediaText(one)}, SHA-256 ${one.sha256}. Attach the same file again and retry the task; it goes on from there.`,
      );
    media.set(one.sha256, data);
  }
  return media.size === 0 ? request : { ...request, media };
}
