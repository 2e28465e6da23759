/** Bus messages as payloads of Postgres NOTIFY: JSON arrays that stay below its limit. */
import type { BusMessage } from '@bullpen/contracts';
import { kindOf, parseBusMessage } from './bus.js';
import { halveDelta } from './delta-text.js';

/** Postgres refuses payloads of 8,000 bytes and more; the rest is a margin. */
export const MAX_PAYLOAD_BYTES = 7_900;

/**
 * The messages in order, in as few payloads as it takes. A delta that is too large for one is split by its text; what cannot be
 * split and does not fit is left out and reported. Never throws.
 */
export function packMessages(
  messages: readonly BusMessage[],
  maxBytes: number = MAX_PAYLOAD_BYTES,
  onLeftOut: (kind: string) => void = () => undefined,
): string[] {
  const payloads: string[] = [];
  let parts: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (parts.length > 0) payloads.push(`[${parts.join(',')}]`);
    parts = [];
    bytes = 0;
  };
  const parted = messages.flatMap((message) => {
    const texts = serialise(message, maxBytes - 2);
    if (texts.length === 0) onLeftOut(message.kind);
    return texts;
  });
  for (const part of parted) {
    // One byte for the comma or a bracket of each part, one for the other bracket.
    const size = Buffer.byteLength(part) + 1;
    if (bytes + size + 1 > maxBytes) flush();
    parts.push(part);
    bytes += size;
  }
  flush();
  return payloads;
}

/**
 * The messages of a payload; those that are not messages (another version's, or somebody else's) are left out and reported. Never
 * throws.
 */
export function unpackMessages(
  payload: string,
  onUnread: (kind: string) => void = () => undefined,
): BusMessage[] {
  return valuesOf(payload).flatMap((value) => {
    const message = parseBusMessage(value);
    if (message === null) onUnread(kindOf(value));
    return message ?? [];
  });
}

/** Anything but a list counts as one value that is not a message. */
function valuesOf(payload: string): unknown[] {
  try {
    const values: unknown = JSON.parse(payload);
    return Array.isArray(values) ? values : [values];
  } catch {
    return [null];
  }
}

function serialise(message: BusMessage, maxBytes: number): string[] {
  const json = JSON.stringify(message);
  if (Buffer.byteLength(json) <= maxBytes) return [json];
  const halves = message.kind === 'delta' ? halveDelta(message.delta) : null;
  if (halves === null || message.kind !== 'delta') return [];
  return halves.flatMap((delta) => serialise({ ...message, delta }, maxBytes));
}
