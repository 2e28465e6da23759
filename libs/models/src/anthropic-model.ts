/**
 * Claude over the Messages API, as the core's model port. It streams, never retries and never throws: the core retries, where
 * retries are stored. The SDK gives us HTTP, server-sent records and error bodies; nothing else of it is used.
 */
import Anthropic from '@anthropic-ai/sdk';
import type { Model, ModelChunk, ModelRequest } from '@bullpen/core';
import { fetch as undiciFetch, type Dispatcher } from 'undici';
import { notAnEventStream, toModelError } from './errors.js';
import { EventMapper } from './event-mapper.js';
import { openConnections, watched, type ModelProxy } from './watched-connection.js';
import { StreamWatch } from './stream-watch.js';
import { INTERLEAVED_BETA, needsInterleaving } from './thinking-settings.js';
import { toProviderRequest } from './to-provider-request.js';
import { wireEvents, type WireEvent } from './wire-events.js';

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
    let providerRequestId: string | null = null;
    try {
      for await (const chunk of this.chunks(
        { request, maySend },
        mapper,
        new StreamWatch(this.limits, signal),
        connection,
      )) {
        if (chunk.type === 'response') providerRequestId = chunk.providerRequestId;
        yield chunk;
      }
    } catch (error) {
      if (mapper.isComplete) return;
      const modelError = toModelError(error, this.now(), this.route);
      yield {
        type: 'error',
        error: { ...modelError, providerRequestId: modelError.providerRequestId ?? providerRequestId },
      };
    } finally {
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

  private async *chunks(
    sending: Sending,
    mapper: EventMapper,
    watch: StreamWatch,
    connection: AbortController,
  ): AsyncGenerator<ModelChunk> {
    const response = await watch.forHeaders(() => this.send(sending, watch, connection.signal));
    const misplaced = notAnEventStream(response);
    if (misplaced) throw misplaced;
    yield {
      type: 'response',
      providerRequestId: response.headers.get('request-id') ?? response.headers.get('x-amzn-requestid'),
      simulated: isTrue(response.headers.get('x-simulated')),
    };
    const events = wireEvents(response, connection);
    while (!mapper.isComplete && !mapper.isOver) {
      const result = await watch.forEvent(() => events.next());
      if (result.done) return;
      yield* mapper.map(result.value);
    }
    if (mapper.isComplete) yield* await this.rest(events, mapper, watch);
  }

  /**
   * What still comes after the stop reason: late usage, and the end of the connection. An error there is not an error of the
   * answer.
   */
  private async rest(
    events: AsyncIterable<WireEvent>,
    mapper: EventMapper,
    watch: StreamWatch,
  ): Promise<readonly ModelChunk[]> {
    const late: ModelChunk[] = [];
    const read = async (): Promise<void> => {
      for await (const event of events) late.push(...mapper.map(event));
    };
    await watch.forRest(read, SETTLE_MS).catch(() => undefined);
    return late;
  }

  private async send(
    { request, maySend }: Sending,
    watch: StreamWatch,
    connection: AbortSignal,
  ): Promise<Response> {
    return this.client.messages
      .create(toProviderRequest(request), {
        signal: connection,
        ...(needsInterleaving(request) ? { headers: { 'anthropic-beta': INTERLEAVED_BETA } } : {}),
        fetchOptions: {
          dispatcher: watched(this.connections, { maySend, onBytes: () => watch.byteArrived() }),
        },
      })
      .asResponse();
  }
}

function isTrue(header: string | null): boolean {
  return header !== null && header !== 'false' && header !== '0';
}
