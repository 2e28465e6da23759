/** Events of the Messages API as text, so that a case can write any of them wrongly. Values go out as they are given. */
import { signThinking } from '@bullpen/model-sim';

/** Anything that JSON can say, and texts that a case wants in the stream as they stand. */
export type Wild = unknown;

/** Stands for a field that is not there: JSON leaves it out. */
export const NONE: Wild = Symbol('left out');

/** One event; `data` is made JSON unless it is a text already. */
export function event(name: string, data: Wild): string {
  return `event: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** An event whose name is the type in its data, as the API has it. */
function typed(data: { readonly type: string } & Readonly<Record<string, Wild>>): string {
  return event(data.type, data);
}

/** Usage of an ordinary `message_start`. */
const START_USAGE = { input_tokens: 100, output_tokens: 1 };

/** The event that opens a message. */
export function start(usage: Wild = START_USAGE, more: Readonly<Record<string, Wild>> = {}): string {
  const message = {
    id: 'msg_wire',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
    ...more,
  };
  return typed({ type: 'message_start', message });
}

/** The event that opens a block; any index and any block are sent as they are. */
export function blockStart(index: Wild, block: Readonly<Record<string, Wild>>): string {
  return typed({ type: 'content_block_start', index, content_block: block });
}

/** The event that adds a part to a block. */
export function delta(index: Wild, part: Readonly<Record<string, Wild>>): string {
  return typed({ type: 'content_block_delta', index, delta: part });
}

/** The event that closes a block. */
export function blockStop(index: Wild): string {
  return typed({ type: 'content_block_stop', index });
}

/** A part of a text block. */
export function textDelta(index: Wild, text: Wild): string {
  return delta(index, { type: 'text_delta', text });
}

/** A part of a tool call's arguments: JSON that is cut anywhere. */
export function jsonDelta(index: Wild, json: Wild): string {
  return delta(index, { type: 'input_json_delta', partial_json: json });
}

/** A whole text block. */
export function text(index: Wild, words: string): string {
  return blockStart(index, { type: 'text', text: '' }) + textDelta(index, words) + blockStop(index);
}

/** A whole thinking block, signed so that it may come back. */
export function thinking(index: Wild, words: string): string {
  return (
    blockStart(index, { type: 'thinking', thinking: '', signature: '' }) +
    delta(index, { type: 'thinking_delta', thinking: words }) +
    delta(index, { type: 'signature_delta', signature: signatureOf(words) }) +
    blockStop(index)
  );
}

/** A signature that is good for these words alone. */
export function signatureOf(words: string): string {
  return signThinking(words, 'msg_wire');
}

/** A whole tool call; `input` is made JSON unless it is a text already. */
export function call(index: Wild, name: Wild, input: Wild, id: Wild = `toolu_wire_${String(index)}`): string {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return callStart(index, { id, name }) + jsonDelta(index, json) + blockStop(index);
}

/** The beginning of a tool call, with whatever fields. */
export function callStart(index: Wild, fields: Readonly<Record<string, Wild>>): string {
  return blockStart(index, { type: 'tool_use', input: {}, ...fields });
}

/** The event before the last: why the message stopped, and what it used. */
export function end(stopReason: Wild, usage: Wild = { output_tokens: 10 }): string {
  return typed({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage });
}

export const STOP = typed({ type: 'message_stop' });
export const PING = typed({ type: 'ping' });

/** An `error` event. */
export function errorEvent(type: Wild, message: Wild): string {
  return typed({ type: 'error', error: { type, message } });
}
