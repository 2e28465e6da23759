/**
 * The event bus on one Redis stream per deployment. Every reader follows it by id, so a short loss of the connection costs no
 * message; the stream keeps the newest 10,000 or so. Writers and readers use connections of their own.
 */
import type { BusMessage } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { Redis } from 'ioredis';
import { kindOf, parseBusMessage } from './bus.js';
import { reconnectDelayMs } from './connection.js';
import { answered, connectRedis, openRedis } from './redis-client.js';
import { ServerEventBus } from './server-event-bus.js';
import { pause } from './within.js';

interface RedisEventBusOptions {
  readonly redisUrl: string;
  /** Deployment; the stream is `<prefix>:events`. */
  readonly prefix: string;
  readonly logger: Logger;
}

const MAX_STREAM = 10_000;
const READ_COUNT = 1_000;

/** Longest silence of one read, in ms; below the silence after which the socket counts as dead. */
const BLOCK_MS = 5_000;

/** The name of the one field of an entry. */
const FIELD = 'm';

type Entry = readonly [id: string, fields: readonly string[]];

export class RedisEventBus extends ServerEventBus {
  readonly #options: RedisEventBusOptions;
  readonly #key: string;
  #writer: Redis | null = null;
  #reader: Redis | null = null;

  constructor(options: RedisEventBusOptions) {
    super(options.logger);
    this.#options = options;
    this.#key = `${options.prefix}:events`;
  }

  protected disconnect(): void {
    this.#writer?.disconnect();
    this.#reader?.disconnect();
  }

  protected async send(batch: readonly BusMessage[]): Promise<void> {
    const writer = (this.#writer ??= openRedis(this.#options.redisUrl, 'bus sender', this.warn));
    await connectRedis(writer);
    const pipeline = writer.pipeline();
    for (const message of batch) {
      pipeline.xadd(this.#key, 'MAXLEN', '~', MAX_STREAM, '*', FIELD, JSON.stringify(message));
    }
    const replies = (await answered(writer, pipeline.exec())) ?? [];
    const failed = replies.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
  }

  /** Follows the stream until the bus closes. Every failure is a gap, as nobody can tell what was trimmed or lost meanwhile. */
  protected async follow(onLive: () => void): Promise<void> {
    const { signal } = this;
    const reader = openRedis(this.#options.redisUrl, 'bus reader', this.warn);
    this.#reader = reader;
    let lastId: string | null = null;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await connectRedis(reader);
        lastId = await this.#startId(reader, lastId);
        onLive();
        if (tries > 1) this.subscribers.gap();
        tries = 1;
        // One read after the other: each begins where the last one ended.
        while (!signal.aborted) lastId = await this.#readFrom(reader, lastId);
      } catch (error) {
        if (signal.aborted) return;
        this.warn('cannot read live events', error);
        await pause(reconnectDelayMs(tries), signal);
      }
    }
  }

  /** Where to go on: after the last id read, or at the stream's end at first, or at its start when it was begun anew. */
  async #startId(reader: Redis, lastId: string | null): Promise<string> {
    const [newest] = await answered(reader, reader.xrevrange(this.#key, '+', '-', 'COUNT', 1));
    if (lastId === null) return newest?.[0] ?? '0-0';
    // A stream with lower ids than we have read is another one: the server lost its data, and its clock may differ.
    return newest === undefined || isBefore(newest[0], lastId) ? '0-0' : lastId;
  }

  /** Delivers what comes after the id, waiting for it; returns the new last id. */
  async #readFrom(reader: Redis, lastId: string): Promise<string> {
    const reading = reader.xread('COUNT', READ_COUNT, 'BLOCK', BLOCK_MS, 'STREAMS', this.#key, lastId);
    const reply = await answered(reader, reading);
    const entries: readonly Entry[] = reply?.[0]?.[1] ?? [];
    for (const [, fields] of entries) this.#deliver(fields);
    const newLast = entries.at(-1)?.[0] ?? lastId;
    // A full answer means that we are behind, perhaps so far that the stream was trimmed ahead of us.
    if (entries.length === READ_COUNT) {
      const [oldest] = await answered(reader, reader.xrange(this.#key, '-', '+', 'COUNT', 1));
      if (oldest !== undefined && isBefore(newLast, oldest[0])) this.subscribers.gap();
    }
    return newLast;
  }

  #deliver(fields: readonly string[]): void {
    const value = parsed(fields[fields.indexOf(FIELD) + 1]);
    const message = parseBusMessage(value);
    if (message === null) this.subscribers.unread(kindOf(value));
    else this.subscribers.deliver(message);
  }
}

function parsed(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Something else may write to this stream: it is reported as something that is not a message.
    return null;
  }
}

/** True when stream id `a` comes before `b`. Ids are `<ms>-<n>` and no strings to compare as such. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aN = 0] = a.split('-').map(Number);
  const [bMs = 0, bN = 0] = b.split('-').map(Number);
  return aMs < bMs || (aMs === bMs && aN < bN);
}
