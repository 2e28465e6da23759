/** One open stream of server-sent events: frames, heartbeats, and a bound on what a slow reader may leave unread. */
import type { ServerResponse } from 'node:http';

const HEARTBEAT_MS = 15_000;
/** What may wait for a reader, in bytes. Beyond it the stream is cut: it reconnects with its last id and misses nothing. */
const MAX_UNREAD_BYTES = 1_048_576;
/** How long a reader may leave a full buffer untouched while it catches up, in ms. */
const DRAIN_TIMEOUT_MS = 30_000;

/** Headers of a stream; the last one keeps nginx from gathering it. */
const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

export class SseStream {
  readonly #raw: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;

  /** Takes over a response whose head was not sent. `onClose` is called once, however the stream ends. */
  constructor(raw: ServerResponse, headers: Record<string, string | number | string[]>, onClose: () => void) {
    this.#raw = raw;
    raw.writeHead(200, { ...headers, ...SSE_HEADERS });
    // Browsers take an id from the stream only, and come back with it also when no event followed.
    const startId = headers['last-event-id'];
    raw.write(`retry: 3000\n${startId === undefined ? '' : `id: ${String(startId)}\n`}\n`);
    this.#heartbeat = setInterval(() => this.send(': still here\n\n'), HEARTBEAT_MS);
    raw.once('close', () => {
      this.#closed = true;
      clearInterval(this.#heartbeat);
      onClose();
    });
  }

  get isClosed(): boolean {
    return this.#closed || this.#raw.writableEnded || this.#raw.destroyed;
  }

  /** Sends whole frames. Cuts a reader that has left too much unread. */
  send(frame: string): void {
    if (this.isClosed) return;
    if (this.#raw.writableLength > MAX_UNREAD_BYTES) this.#raw.destroy();
    else this.#raw.write(frame);
  }

  /** Resolves when the reader has taken what was sent; cuts a reader that does not. */
  async drained(): Promise<void> {
    if (this.isClosed || !this.#raw.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#raw.destroy(), DRAIN_TIMEOUT_MS);
      const done = (): void => {
        clearTimeout(timer);
        this.#raw.off('drain', done).off('close', done);
        resolve();
      };
      this.#raw.on('drain', done).on('close', done);
    });
  }

  /** Ends the stream in order. */
  end(): void {
    if (!this.isClosed) this.#raw.end();
  }
}
