/**
 * Live events that survive lost connections: the stream goes on from the last event that was taken, so that what the caller
 * gets has no gap and no repeat among durable events.
 */
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Continuity } from './continuity.js';
import { ApiError, errorOf, UnexpectedAnswer, Unreachable } from './errors.js';
import { parseReceived } from './received.js';
import { retryAfterMs, type Transport } from './transport.js';
import { backoffMs, sleep } from './wait.js';

/** From where a stream is read, and for how long it is sought when it breaks. */
export interface StreamOptions {
  /** Id of the last event that is known: a sequence number, or a cursor for streams of many tasks. */
  readonly after?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to go on trying without an answer before giving up, in ms. @defaultValue 120000 */
  readonly maxOfflineMs?: number | undefined;
  /** Told whenever something comes (true) and when the connection is gone (false): what is shown is current, or it is not. */
  readonly onConnection?: ((isThere: boolean) => void) | undefined;
}

/** The gateway sends something every 15 s; a connection that is silent for this long is dead, in ms. */
const SILENCE_MS = 45_000;

/** What a stream is of. */
interface StreamScope {
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Whether it carries the events of one task, of a tree from its first event on, or of tasks that may have begun before. */
  readonly of: 'task' | 'tree' | 'tenant';
}

/** Answers of a gateway, or of what stands before it, that is away for a while. */
const PASSING = [429, 502, 503, 504];

/**
 * Events of a stream until it ends, which it does with its task. Throws `ApiError` when the gateway refuses, `Unreachable` when
 * it stays away for `maxOfflineMs`, `UnexpectedAnswer` when for so long nothing comes that can be read, the signal's reason
 * when it fires.
 */
export async function* streamEvents(
  transport: Transport,
  scope: StreamScope,
  options: StreamOptions,
): AsyncGenerator<TaskEvent | LiveDelta, void, undefined> {
  const { signal, maxOfflineMs = 120_000, onConnection } = options;
  const reading = new Continuity(transport, startOf(scope, options.after), options.after);
  let tries = 0;
  let offlineSince: number | null = null;
  for (;;) {
    const connection = await connect(transport, scope, reading.lastId, signal);
    if (connection.kind === 'over') return;
    let failure = connection.kind === 'failed' ? connection : null;
    try {
      if (connection.kind === 'open')
        for await (const item of itemsOf(heard(connection, onConnection), reading, signal)) {
          tries = 0;
          offlineSince = null;
          yield item;
        }
    } catch (error) {
      if (!mayPass(error)) throw error;
      // As if the connection had been lost: what was not taken comes again.
      failure = { kind: 'failed', error, retryAfterMs: null };
    }
    onConnection?.(false);
    offlineSince = failure === null ? null : (offlineSince ?? Date.now());
    if (failure && Date.now() - (offlineSince ?? 0) > maxOfflineMs) throw failure.error;
    await sleep(failure?.retryAfterMs ?? backoffMs(tries), signal);
    tries += 1;
  }
}

/** The number of the event that the reader has of every task when a stream begins; null when that differs. */
function startOf({ of }: StreamScope, after: string | number | undefined): number | null {
  if (of === 'task') return Number(after ?? 0);
  return of === 'tree' && [undefined, 0, '0'].includes(after) ? 0 : null;
}

/** What one connection gives until it ends. Throws what a request throws, and `UnexpectedAnswer` for what is damaged. */
async function* itemsOf(
  connection: OpenConnection,
  reading: Continuity,
  signal: AbortSignal | undefined,
): AsyncGenerator<TaskEvent | LiveDelta> {
  reading.startAt(connection.startId);
  for await (const { data, id } of messagesOf(connection, signal)) {
    const received = parseReceived(data);
    if (received.kind === 'damaged') throw new UnexpectedAnswer(connection.url, 'an event is damaged');
    if (received.kind === 'stored') yield* reading.inOrder(received, id, signal);
    else if (received.delta !== null) yield received.delta;
    else reading.leaveOut(received);
  }
}

/** The connection, which says that it is there with everything that comes: a proxy may accept one and let nothing through. */
function heard(connection: OpenConnection, onConnection: StreamOptions['onConnection']): OpenConnection {
  if (onConnection === undefined) return connection;
  const alive = (): void => {
    connection.alive();
    onConnection(true);
  };
  return { ...connection, alive };
}

function mayPass(error: unknown): error is Error {
  if (error instanceof ApiError) return PASSING.includes(error.status);
  return error instanceof Unreachable || error instanceof UnexpectedAnswer;
}

interface OpenConnection {
  readonly kind: 'open';
  readonly url: string;
  /** Where it begins, when it was asked for no place. */
  readonly startId: string | null;
  readonly body: ReadableStream<Uint8Array>;
  readonly alive: () => void;
  readonly close: () => void;
}

type Connection =
  | OpenConnection
  | { readonly kind: 'over' }
  /** For a passing reason. */
  | { readonly kind: 'failed'; readonly error: Error; readonly retryAfterMs: number | null };

async function connect(
  transport: Transport,
  { path, query }: StreamScope,
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
    if (open && response.body) {
      const startId = response.headers.get('last-event-id');
      const { restart: alive, stop: close } = silence;
      return { kind: 'open', url: response.url, startId, body: response.body, alive, close };
    }
    const error = await errorOf(response, response.url);
    if (!PASSING.includes(response.status)) throw error;
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
  { body, alive, close }: OpenConnection,
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
