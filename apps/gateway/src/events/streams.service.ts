/** Opens streams and keeps count of them. */
import { AppError, plural } from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';
import type { Principal } from '@bullpen/store';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LOGGER, MASKER, SETTINGS, type GatewaySettings, type Logger } from '../http/tokens.js';
import { EventHub } from './event-hub.js';
import type { EventSource } from './event-source.js';
import { Frames } from './frames.js';
import { SseStream } from './sse-stream.js';
import { StreamWatcher, watch } from './watch.js';

@Injectable()
export class StreamsService implements BeforeApplicationShutdown {
  readonly #open = new Set<SseStream>();
  readonly #byKey = new Map<string, number>();
  readonly #frames: Frames;

  constructor(
    private readonly hub: EventHub,
    @Inject(SETTINGS) private readonly settings: Pick<GatewaySettings, 'MAX_STREAMS'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(MASKER) masker: Masker,
  ) {
    this.#frames = new Frames(masker);
  }

  /** Ends all streams: readers reconnect to whoever comes next. */
  beforeApplicationShutdown(): void {
    for (const stream of this.#open) stream.end();
  }

  /**
   * Answers a request with the events after a place (null: from now on), as they come. Answers 204 when nothing can come any more, which tells a
   * browser's EventSource to stop. Throws `not_found` and `too_many_streams`.
   */
  async open<Place>(
    principal: Principal,
    reply: FastifyReply,
    source: EventSource<Place>,
    from: Place | null,
  ): Promise<void> {
    const start = await source.begin(from);
    // Whoever asked for "now" must be able to come back to that moment, also when nothing has happened since.
    if (from === null) reply.header('last-event-id', source.idOf(start.place));
    if (start.outlook === 'over') {
      await reply.code(204).send();
      return;
    }
    // Who has gone already says so no second time, and would hold its place for ever.
    if (reply.raw.destroyed) return void reply.hijack();
    const leave = this.#enter(principal.keyId);
    reply.hijack();
    const feed = this.hub.acquire(source);
    const stream = new SseStream(reply.raw, headersOf(reply), () => {
      feed.leave(watcher);
      this.hub.release(feed);
      this.#open.delete(stream);
      leave();
    });
    const watcher = new StreamWatcher(feed, stream, this.#frames, start.place);
    this.#open.add(stream);
    try {
      await watch(feed, stream, watcher, start);
    } catch (error) {
      // The head is sent, so a cut is the only answer left; the reader comes back with its last id.
      this.logger.warn({ err: error, stream: source.key }, 'stream cut');
      reply.raw.destroy();
    }
  }

  #enter(keyId: string): () => void {
    const open = this.#byKey.get(keyId) ?? 0;
    const limit = this.settings.MAX_STREAMS;
    if (open >= limit)
      throw new AppError(
        'too_many_streams',
        `This key has ${plural(open, 'stream')} open; ${limit} are allowed (setting MAX_STREAMS).`,
      );
    this.#byKey.set(keyId, open + 1);
    return () => {
      const left = (this.#byKey.get(keyId) ?? 1) - 1;
      if (left > 0) this.#byKey.set(keyId, left);
      else this.#byKey.delete(keyId);
    };
  }
}

/** What the hooks have set; a hijacked reply does not send it by itself. */
function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
