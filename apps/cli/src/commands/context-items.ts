/** Flags that name what an agent reads first. */
import type { CreateTaskInput } from '@bullpen/contracts';
import type { Context } from '../context.js';
import { readTextArgument } from './read-arguments.js';

export interface ContextFlags {
  readonly file?: readonly string[];
  readonly folder?: readonly string[];
  readonly text?: readonly string[];
  readonly url?: readonly string[];
}

/** What the agent gets to read with the task, in the order of its kinds. */
export async function contextItemsOf(
  context: Context,
  { file = [], folder = [], text = [], url = [] }: ContextFlags,
): Promise<Pick<CreateTaskInput, 'contextItems'>> {
  const texts = await Promise.all(text.map((given) => textItem(context, given)));
  const items = [
    ...file.map((path) => ({ kind: 'file' as const, path })),
    ...folder.map((path) => ({ kind: 'folder' as const, path })),
    ...texts,
    ...url.map((address) => ({ kind: 'url' as const, url: address })),
  ];
  return items.length === 0 ? {} : { contextItems: items };
}

async function textItem(context: Context, given: string) {
  const text = await readTextArgument(context, given, '--text');
  return { kind: 'text' as const, text, ...(given.startsWith('@') && { title: given.slice(1) }) };
}
