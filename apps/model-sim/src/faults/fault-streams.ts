/** Faults of the stream itself: its records are changed, or the bytes that carry them. */
import { record, type SseRecord } from '../reply/sse-records.js';
import type { Chunk } from '../reply/write-stream.js';
import type { FaultKind, FaultOf } from './fault.js';

type RecordFault<K extends FaultKind> = (records: readonly SseRecord[], fault: FaultOf<K>) => SseRecord[];
type ByteFault<K extends FaultKind> = (chunks: readonly Chunk[], fault: FaultOf<K>) => Chunk[];

/** Kinds of fault that change the list of records. */
export const RECORD_FAULTS = {
  /** The stream is accepted with 200, and then the first thing in it is an error: nothing was generated. */
  error_event_first: (records, fault) => [errorEvent(fault, records[0]?.delayMs ?? 0, 0)],
  error_event_mid_text: (records, fault) => errorInside(records, 'text_delta', fault),
  error_event_mid_json: (records, fault) => errorInside(records, 'input_json_delta', fault),
  /** Everything but the last record: a reader that only waits for the end of the stream does not notice. */
  eof_without_message_stop: (records) => records.filter(({ event }) => event !== 'message_stop'),
  /** After the first piece of content nothing comes for a while, or nothing but pings. */
  stall: (records, { ms, pings = true, everyMs = 1_000 }) => {
    const at = records.findIndex(({ event }) => event === 'content_block_delta') + 1;
    const outputTokens = records[at - 1]?.outputTokens ?? 0;
    const count = pings ? Math.floor(ms / everyMs) : 0;
    const silence = Array.from({ length: count }, () => paused(record('ping', {}, 0, outputTokens), everyMs));
    const restMs = ms - count * everyMs;
    return [
      ...records.slice(0, at),
      ...silence,
      ...records.slice(at).map((next, index) => (index === 0 ? paused(next, restMs) : next)),
    ];
  },
  slow_first_byte: (records, { ms }) => records.map((next, index) => (index === 0 ? paused(next, ms) : next)),
  /** A kind of event that no client knows yet. */
  unknown_event: (records) =>
    records.flatMap((next) =>
      next.event === 'message_start'
        ? [next, record('simulated_future_event', { detail: { nested: [1, 2, 3] } }, 0, next.outputTokens)]
        : [next],
    ),
  /** Usage is cumulative: a reader that adds it up counts it twice. */
  duplicate_message_delta: (records) =>
    records.flatMap((next) => (next.event === 'message_delta' ? [next, next] : [next])),
} satisfies { [K in FaultKind]?: RecordFault<K> };

/** Kinds of fault that change the bytes. */
export const BYTE_FAULTS = {
  /** The body ends after this many bytes: quietly, or (`reset`, see the server) with the connection. */
  eof_at_byte: (chunks, { at }) => {
    const kept: Chunk[] = [];
    let left = at;
    for (const chunk of chunks) {
      if (left <= 0) break;
      kept.push({ ...chunk, bytes: chunk.bytes.subarray(0, left) });
      left -= chunk.bytes.length;
    }
    return kept;
  },
  /** Each chunk ends inside a line, and inside a character of several bytes wherever there is one. */
  split_utf8: (chunks) =>
    chunks.flatMap((chunk) =>
      splitPoints(chunk.bytes).map(([from, to], index) => ({
        ...chunk,
        bytes: chunk.bytes.subarray(from, to),
        delayMs: index === 0 ? chunk.delayMs : 0,
        pauseMs: index === 0 ? chunk.pauseMs : 0,
      })),
    ),
  /** Line ends as some proxies make them. JSON text has no line ends of its own. */
  crlf: (chunks) =>
    chunks.map((chunk) => ({
      ...chunk,
      bytes: Buffer.from(Buffer.from(chunk.bytes).toString().replaceAll('\n', '\r\n')),
    })),
} satisfies { [K in FaultKind]?: ByteFault<K> };

type ErrorEventFault = FaultOf<'error_event_first' | 'error_event_mid_text' | 'error_event_mid_json'>;

function errorEvent(
  { errorType = 'overloaded_error', message = 'Overloaded' }: ErrorEventFault,
  delayMs: number,
  outputTokens: number,
): SseRecord {
  return record('error', { error: { details: null, type: errorType, message } }, delayMs, outputTokens);
}

/** The stream up to the middle of its pieces of one kind, then an error; after all content when there are none. */
function errorInside(records: readonly SseRecord[], deltaType: string, fault: ErrorEventFault): SseRecord[] {
  const pieces = records.flatMap(({ data }, index) =>
    (data['delta'] as { type?: string } | undefined)?.type === deltaType ? [index] : [],
  );
  const end = records.findIndex(({ event }) => event === 'message_delta');
  const middle = pieces[Math.floor(pieces.length / 2)];
  const at = middle === undefined ? end : middle + (pieces.length === 1 ? 1 : 0);
  return [...records.slice(0, at), errorEvent(fault, 0, records[at - 1]?.outputTokens ?? 0)];
}

function paused(next: SseRecord, ms: number): SseRecord {
  return { ...next, pauseMs: next.pauseMs + ms };
}

/** Ranges between split points: three bytes into each line, and after the first byte of each multi-byte character. */
function splitPoints(bytes: Uint8Array): Array<[from: number, to: number]> {
  const points = [0];
  let lineStart = 0;
  bytes.forEach((byte, index) => {
    const isLead = byte >= 0xc0;
    if (index + 1 < bytes.length && (isLead || index === lineStart + 2)) points.push(index + 1);
    if (byte === 0x0a) lineStart = index + 1;
  });
  return points.map((from, index) => [from, points[index + 1] ?? bytes.length]);
}
