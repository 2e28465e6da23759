/**
 * Live events that survive lost connections: the stream goes on from the last id that was seen, so that what the caller gets
 * has no gap and no repeat among durable events.
 */
import { DeltaEvent, TaskEvent, type LiveDelta } from '@bullpen/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { z } from 'zod';
import { errorOf, Unreachable } from './errors.js';
import { retryAfterMs, type Transport } from './transport.js';
import { backoffMs, sleep } from './wait.js';

export interface StreamOptions {
  /** Id of the last event that is known: a sequence number, or a cursor for streams of many tasks. */
  readonly after?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to go on trying without an answer before giving up, in ms. @defaultValue 120000 */
  readonly maxOfflineMs?: number | undefined;
}

/** The gateway sends something every 15 s; a connection that is silent for this long is dead, in ms. */
const SILENCE_MS = 45_000;

const Delta = z.intersection(
  DeltaEvent,
  z.object({ taskId: z.string(), rootId: z.string(), afterSeq: z.int() }),
) as unknown as z.ZodType<LiveDelta>;

/**
 * Events of a stream until it ends, which it does with its task. Throws `ApiError` when the gateway refuses, `Unreachable` when
 * it stays away for `maxOfflineMs`, the signal's reason when it fires.
 */
export async function* streamEvents(
  transport: Transport,
  path: string,
  query: Readonly<Record<string, unknown>>,
  options: StreamOptions,
): AsyncGenerator<TaskEvent | LiveDelta, void, undefined> {
  const { signal, maxOfflineMs = 120_000 } = options;
  let lastId = options.after === undefined ? undefined : String(options.after);
  let tries = 0;
  let offlineSince: number | null = null;
  for (;;) {
    const connection = await connect(transport, path, query, lastId, signal);
    if (connection.kind === 'over') return;
    if (connection.kind === 'open') {
      for await (const message of messagesOf(connection, signal)) {
        tries = 0;
        lastId = message.id ?? lastId;
        const event = eventOf(message);
        if (event !== null) yield event;
      }
      offlineSince = null;
    }
    offlineSince ??= Date.now();
    const failure = connection.kind === 'failed' ? connection : null;
    if (failure && Date.now() - offlineSince > maxOfflineMs) throw failure.error;
    await sleep(failure?.retryAfterMs ?? backoffMs(tries), signal);
    tries += 1;
  }
}

type Connection =
  | {
      readonly kind: 'open';
      readonly body: ReadableStream<Uint8Array>;
      readonly alive: () => void;
      readonly close: () => void;
    }
  | { readonly kind: 'over' }
  /** For a passing reason. */
  | { readonly kind: 'failed'; readonly error: Error; readonly retryAfterMs: number | null };

async function connect(
  transport: Transport,
  path: string,
  query: Readonly<Record<string, unknown>>,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const silence = silenceTimer();
  const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
  let open = false;
  try {
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await transport.send(path, { headers, query, signal: both });
    if (response.status === 204) return { kind: 'over' };
    open = response.ok && response.body !== null;
    if (open && response.body)
      return { kind: 'open', body: response.body, alive: silence.restart, close: silence.stop };
    const error = await errorOf(response, response.url);
    if (![429, 502, 503, 504].includes(response.status)) throw error;
    return { kind: 'failed', error, retryAfterMs: retryAfterMs(response) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Unreachable) return { kind: 'failed', error, retryAfterMs: null };
    if (silence.signal.aborted)
      return { kind: 'failed', error: new Unreachable(path, error), retryAfterMs: null };
    throw error;
  } finally {
    // A timer that is left behind would keep the process alive.
    if (!open) silence.stop();
  }
}

/** The messages of one connection; ends when it ends or breaks, which to the caller is the same. */
async function* messagesOf(
  { body, alive, close }: Extract<Connection, { kind: 'open' }>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventSourceMessage> {
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => waiting.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => {
        signal?.throwIfAborted();
        return null;
      });
      if (chunk === null || chunk.done) return;
      alive();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* waiting.splice(0);
    }
  } finally {
    close();
    // Also when the caller stops in the middle: then the connection must go, too. It may be broken already.
    await reader.cancel().catch(() => undefined);
  }
}

function silenceTimer(): { signal: AbortSignal; restart: () => void; stop: () => void } {
  const controller = new AbortController();
  const start = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => controller.abort(new Error(`nothing came for ${SILENCE_MS / 1_000} s`)), SILENCE_MS);
  let timer = start();
  const stop = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    stop,
    restart: () => {
      stop();
      timer = start();
    },
  };
}

/** Null for what this version does not know: newer gateways may send more kinds of events. */
function eventOf(message: EventSourceMessage): TaskEvent | LiveDelta | null {
  let data: unknown;
  try {
    data = JSON.parse(message.data);
  } catch {
    return null;
  }
  const durable = typeof data === 'object' && data !== null && 'seq' in data;
  return (durable ? TaskEvent.safeParse(data).data : Delta.safeParse(data).data) ?? null;
}
