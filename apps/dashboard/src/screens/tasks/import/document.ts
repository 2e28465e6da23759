/** What is in a document before it is imported: nothing is sent that is no exported task. Pure. */
import { inexactNumber } from '@bullpen/contracts';
import { z } from 'zod';
import type { TextKey } from '../../../i18n/keys.js';

/** The largest one that the gateway takes, in bytes. */
const MOST_BYTES = 20 * 1024 * 1024;

/** Only what is shown of it: the gateway looks at the rest. */
const Exported = z.object({
  format: z.literal('bullpen-task'),
  version: z.literal(1),
  exportedAt: z.iso.datetime(),
  rootId: z.string(),
  tasks: z.array(z.object({ task: z.object({ id: z.string(), title: z.string() }) })).min(1),
});

export interface Document {
  /** As it was given: it is sent as a whole. */
  readonly value: unknown;
  readonly title: string;
  readonly tasks: number;
  readonly exportedAt: string;
}

export type Look = { readonly document: Document } | { readonly fault: TextKey };

export function lookAt(text: string): Look {
  if (new TextEncoder().encode(text).length > MOST_BYTES) return { fault: 'import.tooLarge' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'import.notJson' };
  }
  const { data } = Exported.safeParse(value);
  if (data === undefined) return { fault: 'import.notExported' };
  // It would be stored as another number.
  if (inexactNumber(text) !== null) return { fault: 'import.inexact' };
  const root = data.tasks.find(({ task }) => task.id === data.rootId) ?? data.tasks[0];
  return {
    document: {
      value,
      title: root?.task.title ?? '',
      tasks: data.tasks.length,
      exportedAt: data.exportedAt,
    },
  };
}
