/** Whether the attachments of a task can be sent to its model: found out before there is a task, and long before one is paid for. */
import type { AgentDefinition, ContextItem, Media } from '@bullpen/contracts';
import { builtInProfile, mediaExcess } from '@bullpen/core';
import type { Attachments } from '@bullpen/store';
import { invalidRequest } from '../http/problem.js';

/** @throws `invalid_request` that names the item, or all of them when they are too much together. */
export async function checkAttachments(
  attachments: Attachments,
  tenantId: string,
  items: readonly ContextItem[],
  { profiles: [profile], model }: AgentDefinition,
): Promise<void> {
  const found: Media[] = [];
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'attachment') continue;
    const media = await attachments.mention(tenantId, item.sha256);
    if (media === null)
      throw refused(
        `/contextItems/${at}/sha256`,
        'names no attachment: keep it with POST /v1/attachments first',
      );
    found.push(media);
  }
  const excess = mediaExcess(found, profile ?? builtInProfile(model));
  if (excess !== null) throw refused('/contextItems', excess);
}

function refused(pointer: string, detail: string) {
  return invalidRequest([{ pointer, detail }], 'The body');
}
