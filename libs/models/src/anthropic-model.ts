/**
 * Claude over the Messages API, as the core's model port. It streams, never retries and never throws: the core retries, where
 * retries are stored. The SDK gives us HTTP, authentication and error bodies; nothing else of it is used.
 */
import Anthropic from '@anthropic-ai/sdk';
import type { Model, ModelChunk, ModelRequest } from '@bullpen/core';
import { fetch as undiciFetch, type Dispatcher } from 'undici';
import { AnswerBody, piecesOf } from './answer-body.js';
import { notAnEventStream, toModelError } from './errors.js';
import { EventMapper } from './event-mapper.js';
import { openConnections, watched, type ModelProxy } from './watched-connection.js';
import { StreamWatch } from './stream-watch.js';
import { INTERLEAVED_BETA, needsInterleaving } from './thinking-settings.js';
import { toProviderRequest } from './to-provider-request.js';
import { WireEvents } from './wire-events.js';

/** What is used of a client: those of clouds count no tokens, or not everywhere. */
export interface MessagesClient {
  readonly messages: Pick<Anthropic.Messages, 'create'> & Partial<Pick<Anthropic.Messages, 'countTokens'>>;
}

export interface AnthropicModelOptions {
  /** A key, or a client that has its own way to prove who it is. */
  readonly apiKey: string | MessagesClient;
  /** Without meaning for a client. @defaultValue https://api.anthropic.com */
  readonly baseURL?: string;
  /** @defaultValue requests go out directly */
  readonly proxy?: ModelProxy | null;
  /**
   * Replaces the network and everything that watches it: `maySend` is not asked, and bytes are not counted. @defaultValue undici's
   * `fetch`
   */
  readonly fetch?: typeof fetch;
  /** Longest silence of a stream, in ms; pings do not end it. @defaultValue 300,000, as Claude Code has it */
  readonly idleEventMs?: number;
  /** Longest silence of a connection, in ms; pings end it. @defaultValue 180,000, as Claude Code has it */
  readonly idleByteMs?: number;
  /** Clock for `retry-after` dates. @defaultValue the system's */
  readonly now?: () => Date;
}

/** The default address of the Messages API. */
const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/** How long a complete answer may wait for the connection's own end, so that it can be used again, in ms. */
const SETTLE_MS = 1_000;

interface Sending {
  readonly request: ModelRequest;
  readonly maySend: () => boolean;
}

/** An answer whose headers have come. */
interface Opened {
  readonly begun: Extract<ModelChunk, { type: 'response' }>;
  readonly events: WireEvents;
}

/** What each client is opened with, whoever's it is. */
export function clientOptions(given?: typeof fetch) {
  return {
    maxRetries: 0,
    logLevel: 'off' as const,
    // Not the global one: that comes with Node and does not accept connections of another undici.
    fetch: given ?? (undiciFetch as unknown as typeof fetch),
  };
}

export class AnthropicModel implements Model {
  private readonly client: MessagesClient;
  private readonly limits: { idleEventMs: number; idleByteMs: number };
  private readonly now: () => Date;
  private readonly connections: Dispatcher;
  /** For errors: which way the requests go. */
  private readonly route: string;

  constructor(options: AnthropicModelOptions) {
    const { apiKey } = options;
    this.client =
      typeof apiKey === 'object'
        ? apiKey
        : new Anthropic({
            ...clientOptions(options.fetch),
            apiKey,
            // Passed even when it is the default: otherwise the SDK would read it from the environment or a profile.
            baseURL: options.baseURL ?? DEFAULT_BASE_URL,
          });
    this.limits = { idleEventMs: options.idleEventMs ?? 300_000, idleByteMs: options.idleByteMs ?? 180_000 };
    this.now = options.now ?? (() => new Date());
    this.connections = openConnections(options.proxy ?? null);
    this.route = options.proxy ? ` through the proxy ${options.proxy.url}` : '';
  }

  /**
   * Streams one answer: `response` first, then its content, usage and `stop`; or one `error`, always the last. Once `stop` is
   * out the answer is complete, and nothing that happens to the connection afterwards makes it an error.
   */
  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    maySend: () => boolean,
  ): AsyncGenerator<ModelChunk> {
    const mapper = new EventMapper();
    const connection = new AbortController();
    const watch = new StreamWatch(this.limits, signal);
    let providerRequestId: string | null = null;
    try {
      const { begun, events } = await this.open({ request, maySend }, watch, connection.signal);
      ({ providerRequestId } = begun);
      yield begun;
      while (!mapper.isComplete && !mapper.isOver) {
        const event = await watch.forEvent(events);
        if (event === null) return;
        for (const chunk of mapper.map(event)) yield chunk;
      }
      if (mapper.isComplete) for (const chunk of await this.rest(events, mapper, watch)) yield chunk;
    } catch (error) {
      if (mapper.isComplete) return;
      const modelError = toModelError(error, this.now(), this.route);
      yield {
        type: 'error',
        error: { ...modelError, providerRequestId: modelError.providerRequestId ?? providerRequestId },
      };
    } finally {
      watch.close();
      connection.abort();
    }
  }

  /** The API's own count of a request's prompt. Throws what the client throws, and when the signal fires. */
  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const { max_tokens: _, stream: __, ...counted } = toProviderRequest(request);
    const options = { signal, fetchOptions: { dispatcher: this.connections } };
    const { messages } = this.client;
    if (messages.countTokens === undefined) throw new Error('This endpoint counts no tokens.');
    return (await messages.countTokens(counted, options)).input_tokens;
  }

  /** Sends the request, and reads what is answered up to its events. */
  private async open(sending: Sending, watch: StreamWatch, connection: AbortSignal): Promise<Opened> {
    const body = new AnswerBody();
    const response = await watch.forHeaders(() => this.send(sending, watch, body, connection));
    const misplaced = notAnEventStream(response);
    if (misplaced) throw misplaced;
    return {
      begun: begunBy(response),
      events: new WireEvents(body.isOpen ? body : piecesOf(response), response),
    };
  }

  /**
   * What still comes after the stop reason: late usage, and the end of the connection. An error there is not an error of the
   * answer.
   */
  private async rest(
    events: WireEvents,
    mapper: EventMapper,
    watch: StreamWatch,
  ): Promise<readonly ModelChunk[]> {
    const late: ModelChunk[] = [];
    const read = async (): Promise<void> => {
      for (let event = await events.next(); event !== null; event = await events.next())
        late.push(...mapper.map(event));
    };
    await watch.forRest(read, SETTLE_MS).catch(() => undefined);
    return late;
  }

  private async send(
    { request, maySend }: Sending,
    watch: StreamWatch,
    body: AnswerBody,
    connection: AbortSignal,
  ): Promise<Response> {
    return this.client.messages
      .create(toProviderRequest(request), {
        signal: connection,
        ...(needsInterleaving(request) ? { headers: { 'anthropic-beta': INTERLEAVED_BETA } } : {}),
        fetchOptions: {
          dispatcher: watched(this.connections, { maySend, onBytes: () => watch.byteArrived(), body }),
        },
      })
      .asResponse();
  }
}

function begunBy({ headers }: Response): Opened['begun'] {
  return {
    type: 'response',
    providerRequestId: headers.get('request-id') ?? headers.get('x-amzn-requestid'),
    simulated: isTrue(headers.get('x-simulated')),
  };
}

function isTrue(header: string | null): boolean {
  return header !== null && header !== 'false' && header !== '0';
}
