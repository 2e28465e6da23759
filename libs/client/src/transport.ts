/** Requests and answers: one try after the other, until there is an answer or no more sense in trying. */
import type { z } from 'zod';
import { errorOf, UnexpectedAnswer, Unreachable, type ApiError } from './errors.js';
import { backoffMs, sleep } from './wait.js';

/** Where the gateway is, as whom it is called, and with how much patience. */
export interface TransportOptions {
  /** Where the gateway is: `http://127.0.0.1:7450`. */
  readonly baseUrl: string;
  /** The API key; absent in a browser that has a session cookie. */
  readonly apiKey?: string | undefined;
  /** @defaultValue the global `fetch` */
  readonly fetch?: typeof fetch | undefined;
  /** Tries after the first one that failed for a passing reason. @defaultValue 3 */
  readonly retries?: number | undefined;
  /** How long one try may take, its whole answer included, in ms; streams are bounded by their silence. @defaultValue 60,000 */
  readonly timeoutMs?: number | undefined;
  /** Told what streams cannot give, once for each text: `events of a kind ...`. @defaultValue a warning on the console */
  readonly onLeftOut?: ((what: string) => void) | undefined;
}

const TIMEOUT_MS = 60_000;

export interface Call<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly answer: z.ZodType<T>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A status that is an answer although it is no success. */
  readonly alsoAnswers?: number;
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #fetch: typeof fetch;
  readonly #baseUrl: string;
  readonly #leftOut = new Set<string>();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /** Says what a stream cannot give. */
  leftOut(what: string): void {
    if (this.#leftOut.has(what)) return;
    this.#leftOut.add(what);
    const { onLeftOut = (text) => console.warn(`Bullpen: left out ${text}`) } = this.#options;
    onLeftOut(what);
  }

  /**
   * The parsed answer. Tries again on network errors, when no answer comes in time, 429, 503 and while the first request with the same key is in flight;
   * safe for POST, because all tries carry one Idempotency-Key. Throws `ApiError`, `Unreachable`, `UnexpectedAnswer`, or the
   * signal's reason.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const idempotencyKey = call.method === 'POST' ? (call.idempotencyKey ?? newKey()) : undefined;
    const headers = {
      accept: 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = {
      method: call.method,
      headers,
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    };
    for (let tries = 0; ; tries += 1) {
      const outcome = await this.#tryInTime(call, init);
      if ('answer' in outcome) return outcome.answer;
      if (!outcome.mayPass || tries >= (this.#options.retries ?? 3)) throw outcome.error;
      await sleep(outcome.retryAfterMs ?? backoffMs(tries), call.signal);
    }
  }

  /** One request, with the key. Throws `Unreachable`, or the signal's reason, also when `fetch` does not heed the signal. */
  async send(path: string, init: RequestInit & { query?: Call<never>['query'] }): Promise<Response> {
    const { query, signal, ...rest } = init;
    const url = `${this.#baseUrl}${path}${queryText(query)}`;
    const headers = new Headers(rest.headers);
    const { apiKey } = this.#options;
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
    try {
      return await unlessAborted(this.#fetch(url, { ...rest, headers, ...(signal && { signal }) }), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unreachable(url, error);
    }
  }

  /** One try with an end: a server may accept a connection and never answer. */
  async #tryInTime<T>(call: Call<T>, init: RequestInit): Promise<{ answer: T } | Failure> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const over = new AbortController();
    const why = new Error(`no answer within ${timeoutMs} ms`);
    const timer = setTimeout(
      () => over.abort(new Unreachable(`${this.#baseUrl}${call.path}`, why)),
      timeoutMs,
    );
    const stop = (): void => over.abort(call.signal?.reason);
    call.signal?.addEventListener('abort', stop, { once: true });
    if (call.signal?.aborted) stop();
    try {
      return await unlessAborted(this.#try(call, init, over.signal), over.signal);
    } catch (error) {
      if (error instanceof Unreachable) return { error, mayPass: true, retryAfterMs: null };
      throw error;
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', stop);
    }
  }

  async #try<T>(call: Call<T>, init: RequestInit, signal: AbortSignal): Promise<{ answer: T } | Failure> {
    const response = await this.send(call.path, { ...init, query: call.query, signal });
    if (response.ok || response.status === call.alsoAnswers)
      return { answer: await parseAnswer(response, call.answer) };
    const error = await errorOf(response, response.url);
    const inFlight = 'code' in error && error.code === 'idempotency_in_flight';
    return {
      error,
      mayPass: [429, 503].includes(response.status) || inFlight,
      retryAfterMs: retryAfterMs(response),
    };
  }
}

/** What `work` gives, or the signal's reason as soon as it fires: on Node 20 a `fetch` may never settle, whatever it was told. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

interface Failure {
  readonly error: ApiError | Unreachable | UnexpectedAnswer;
  readonly mayPass: boolean;
  readonly retryAfterMs: number | null;
}

async function parseAnswer<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  let body: unknown;
  try {
    body = await response.json();
  } catch (cause) {
    throw new UnexpectedAnswer(response.url, 'it is not JSON', cause);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new UnexpectedAnswer(
    response.url,
    parsed.error.issues[0]?.message ?? 'its form is unknown',
    parsed.error,
  );
}

/** At most ten seconds: a person may be waiting. */
export function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 10) * 1_000 : null;
}

/** `randomUUID` is missing in pages that came over plain HTTP from another machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    params.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
