/** The newest calls of a task with their results, as the watch for loops compares them. */
import type { ContentBlock, Json } from '@bullpen/contracts';
import { isFromUser } from '../../task/answer-end.js';
import { canonicalJson } from '../../task/canonical-json.js';
import type { StoredMessage } from '../../task/task.js';
import type { Tool } from '../../ports/tool.js';
import { resultDigest } from './result-digest.js';

/** What is declared of a tool that matters here; nothing is known of one that is not there any more. */
export type KnownTools = ReadonlyMap<string, Pick<Tool, 'group' | 'polls' | 'asides'>>;

export interface AnsweredCall {
  readonly tool: string;
  /** Equal for calls that ask for the same. */
  readonly key: string;
  readonly result: string;
  /** The result without what is different each time. */
  readonly digest: () => string;
  readonly isError: boolean;
}

/** A stored history, or a part of it. */
export type Messages = readonly Pick<StoredMessage, 'role' | 'content'>[];

/** So many calls are looked at: enough for cycles, and a turn late in a long task costs no more than an early one. */
const LOOK_BACK = 48;
/** Messages without any calls are looked through only so far. */
const MOST_MESSAGES = 200;

/** The newest answered calls since the user last wrote, oldest first: what the user says makes everything new. */
export function answeredCalls(messages: Messages, tools: KnownTools): readonly AnsweredCall[] {
  const results = new Map<string, Extract<ContentBlock, { type: 'tool_result' }>>();
  const found: AnsweredCall[] = [];
  for (const { role, content } of messages.slice(-MOST_MESSAGES).reverse()) {
    if (found.length >= LOOK_BACK || (role === 'user' && isFromUser({ content }))) break;
    for (const block of content.toReversed()) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
      const result = block.type === 'tool_use' ? results.get(block.id) : undefined;
      if (block.type !== 'tool_use' || result === undefined) continue;
      found.push({
        tool: block.name,
        key: callKey(tools, block.name, block.input),
        result: result.content,
        digest: once(() => resultDigest(result.content)),
        isError: result.is_error === true,
      });
    }
  }
  return found.reverse();
}

/** The call as text, whatever order its arguments are in, without what only comments on it. */
export function callKey(tools: KnownTools, tool: string, args: Json): string {
  const asides = tools.get(tool)?.asides ?? [];
  if (asides.length === 0 || typeof args !== 'object' || args === null || Array.isArray(args))
    return `${tool} ${canonicalJson(args)}`;
  const telling = Object.entries(args).filter(([field]) => !asides.includes(field));
  return `${tool} ${canonicalJson(Object.fromEntries(telling))}`;
}

/** With what a call that is not run begins its answer. */
export const LOOP_REFUSED = 'Not run: this would only repeat what you did before.';

/** Whether the call was refused as a repetition. */
export function wasRefused({ result, isError }: Pick<AnsweredCall, 'result' | 'isError'>): boolean {
  return isError && result.startsWith(LOOP_REFUSED);
}

/** Equal calls with equal results. A refusal of this kind is the same as what it refused to repeat: insisting does not help. */
export function isSame(a: AnsweredCall, b: AnsweredCall): boolean {
  return (
    a.key === b.key && (a.result === b.result || wasRefused(a) || wasRefused(b) || a.digest() === b.digest())
  );
}

/** Most results are never compared, and some are compared often. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
