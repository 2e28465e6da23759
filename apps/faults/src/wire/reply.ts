/** What the server puts on the wire for one request, byte by byte. */
import { end, start, STOP, text } from './sse.js';

/**
 * What it means for the bill: a whole answer is paid and must never be asked for again; a broken one may be paid, and what came of it
 * is kept or asked for again; a refusal costs nothing.
 */
export type Meaning = 'whole' | 'broken' | 'refusal';

export interface Reply {
  readonly meaning: Meaning;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written one after the other, each on its way before the next. */
  readonly pieces: readonly Buffer[];
  /** `cut` resets the connection when the last piece is out; `raw` sends nothing but the pieces, and hangs up. */
  readonly close: 'end' | 'cut' | 'raw';
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function stream(meaning: Meaning, events: readonly string[], more: Partial<Reply> = {}): Reply {
  const pieces = [Buffer.from(events.join(''), 'utf8')];
  return { meaning, status: 200, headers: STREAM_HEADERS, pieces, close: 'end', ...more };
}

/** A stream that the provider bills as one answer. */
export function whole(...events: readonly string[]): Reply {
  return stream('whole', events);
}

/** A stream that ends too early, without an error of the connection. */
export function broken(...events: readonly string[]): Reply {
  return stream('broken', events);
}

/** A stream that the connection's end cuts. */
export function cut(...events: readonly string[]): Reply {
  return stream('broken', events, { close: 'cut' });
}

/** An ordinary answer in words. */
export function says(words: string): Reply {
  return whole(start(), text(0, words), end('end_turn'), STOP);
}

/** Ordinary calls, one after the other. */
export function calls(...blocks: readonly string[]): Reply {
  return whole(start(), ...blocks, end('tool_use'), STOP);
}

/** A status and a body; JSON unless the headers say otherwise. */
export function refuses(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
  return {
    meaning: 'refusal',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [bytes],
    close: 'end',
  };
}

/** An error in the documented shape. */
export function apiError(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = { type: 'error', error: { type, message }, request_id: 'req_wire' };
  return refuses(status, body, { 'request-id': 'req_wire', ...headers });
}

/** Bytes in place of an HTTP answer. */
export function raw(meaning: Meaning, ...lines: readonly string[]): Reply {
  return { meaning, status: 0, headers: {}, pieces: [Buffer.from(lines.join('\r\n'), 'utf8')], close: 'raw' };
}

/** The same bytes, torn every `size` bytes. */
export function torn(reply: Reply, size: number): Reply {
  const bytes = Buffer.concat(reply.pieces);
  const count = Math.ceil(bytes.length / size);
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  return { ...reply, pieces };
}

/** The same reply with other bytes. */
export function rewritten(reply: Reply, change: (text: string) => string): Reply {
  return { ...reply, pieces: [Buffer.from(change(Buffer.concat(reply.pieces).toString('utf8')), 'utf8')] };
}
