/**
 * Signs the thinking that the simulator serves, so that it can tell later, even after a restart, whether a client sent it
 * back untouched. The key is no secret: it guards against mistakes of a client under test, not against people.
 */
import { createHmac } from 'node:crypto';

const KEY = 'bullpen-model-sim/thinking/1';
const PREFIX = 'sim1';

/** A signature over the visible thinking text (which may be empty) and the message that it belongs to. */
export function signThinking(thinking: string, messageId: string): string {
  return `${PREFIX}.${messageId}.${mac(thinking, messageId)}`;
}

/** Whether `signature` was made by `signThinking` for exactly this text. */
export function isSignedThinking(thinking: string, signature: string): boolean {
  const [prefix, messageId, digest] = signature.split('.');
  return prefix === PREFIX && messageId !== undefined && digest === mac(thinking, messageId);
}

/** Marks a tool call id as belonging to a message that has this thinking signature (see `thinkingTagOf`). */
export function thinkingTag(signature: string): string {
  return `th${createHmac('sha256', KEY).update(signature).digest('hex').slice(0, 10)}`;
}

/**
 * The thinking tag inside a tool call id, or undefined for a call that came without thinking. It lets the simulator notice,
 * without keeping any state, that thinking was dropped from in front of its tool call.
 */
export function thinkingTagOf(toolUseId: string): string | undefined {
  return /^toolu_(th[0-9a-f]{10})/.exec(toolUseId)?.[1];
}

function mac(thinking: string, messageId: string): string {
  return createHmac('sha256', KEY).update(messageId).update('\0').update(thinking).digest('base64url');
}
