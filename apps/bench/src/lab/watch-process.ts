/**
 * Watchers of tasks, in a process of their own: each holds a stream of the gateway open, loses its connection again and again, and comes back
 * with the last id that it has. They count what did not come, or came twice, and how late the rest was.
 *
 * On bare sockets, and looking only for an event's id and time: they share the cores with what they measure.
 */
import { connect, type Socket } from 'node:net';
import { percentile } from '../report/statistics.js';
import { sideBySide } from './side-by-side.js';

export interface WatchRequest {
  readonly type: 'watch';
  readonly url: string;
  readonly key: string;
  readonly taskIds: readonly string[];
  readonly perTask: number;
}

/** Asked for after `watch`: answered when every stream has ended with its task. */
export interface Watched {
  readonly type: 'watched';
  /** What they got together, a second, from the first event to the last. */
  readonly perSecond: number;
  readonly lost: number;
  readonly repeated: number;
  readonly reconnects: number;
  /** From the time of the event's transaction to its watcher, in ms, of events that happened while it was connected. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A connection is cut at some moment up to this long after it was made. */
const CUT_MS = 30_000;
const RETRY_MS = 100;
/** Connections that are made at the same time at first. */
const AT_ONCE = 16;
/** What a read of any of them goes into; it is looked at before the next one. */
const buffer = Buffer.allocUnsafe(65_536);

/** After the last frame: the gateway has ended the stream. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

class Watcher {
  readonly latencies: number[] = [];
  readonly times: number[] = [];
  lost = 0;
  repeated = 0;
  reconnects = 0;
  private last = 0;
  private connectedAt = 0;
  private rest = '';
  /** Nothing will come any more. */
  private isOver = false;
  private ended: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => (this.ended = resolve));

  constructor(
    private readonly stream: URL,
    private readonly key: string,
  ) {}

  /** Resolves when the stream is open, or the connection lost. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.connectedAt = 0;
      this.rest = '';
      const read = (bytes: number): boolean => {
        // Only the first read of a connection holds the head.
        if (this.connectedAt === 0) resolve();
        this.read(socket, buffer.toString('latin1', 0, bytes));
        return true;
      };
      const { hostname: host, port } = this.stream;
      const socket = connect({ host, port: Number(port), onread: { buffer, callback: read } });
      socket.write(this.request());
      const cut = setTimeout(() => socket.destroy(), Math.random() * CUT_MS);
      socket.on('error', () => undefined); // Its close follows.
      socket.once('close', () => {
        clearTimeout(cut);
        resolve();
        this.comeBack();
      });
    });
  }

  private request(): string {
    const { pathname, host } = this.stream;
    return (
      `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${this.key}\r\n` +
      `last-event-id: ${this.last}\r\nconnection: close\r\n\r\n`
    );
  }

  private comeBack(): void {
    if (this.isOver) return this.ended();
    this.reconnects += 1;
    setTimeout(() => void this.open(), RETRY_MS);
  }

  private read(socket: Socket, text: string): void {
    if (this.connectedAt === 0) {
      this.isOver = text.startsWith('HTTP/1.1 204');
      if (this.isOver) socket.destroy();
      this.connectedAt = Date.now();
    }
    const frames = (this.rest + text).split('\n\n');
    this.rest = frames.pop() ?? '';
    for (const frame of frames) this.take(frame);
    if (this.rest === LAST_CHUNK) socket.destroy();
  }

  /** Only rows have a time of their own: texts that stream are no part of the record. */
  private take(frame: string): void {
    const seq = Number(/id: (\d+)\nevent/.exec(frame)?.[1] ?? 0);
    const at = Date.parse(/"at":"([^"]+)"[^"]*$/.exec(frame)?.[1] ?? '');
    if (seq === 0 || Number.isNaN(at)) return;
    if (seq <= this.last) this.repeated += 1;
    else this.lost += seq - this.last - 1;
    this.last = Math.max(this.last, seq);
    this.times.push(performance.now());
    if (at > this.connectedAt) this.latencies.push(Date.now() - at);
  }
}

let watchers: Watcher[] = [];

process.on('message', (message: WatchRequest | { readonly type: 'watched' }) => {
  void (message.type === 'watch' ? watch(message) : report());
});
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready' });

async function watch({ url, key, taskIds, perTask }: WatchRequest): Promise<void> {
  watchers = taskIds.flatMap((id) =>
    Array.from({ length: perTask }, () => new Watcher(new URL(`/v1/tasks/${id}/stream`, url), key)),
  );
  const closed = [...watchers];
  await sideBySide(AT_ONCE, closed.length, async () => closed.pop()?.open());
  process.send?.({ type: 'watch' });
}

async function report(): Promise<void> {
  await Promise.all(watchers.map((watcher) => watcher.over));
  const sum = (of: 'lost' | 'repeated' | 'reconnects') =>
    watchers.reduce((total, watcher) => total + watcher[of], 0);
  const times = watchers.flatMap((watcher) => watcher.times).sort((a, b) => a - b);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  const latencies = watchers.flatMap((watcher) => watcher.latencies);
  process.send?.({
    type: 'watched',
    perSecond: times.length / seconds,
    lost: sum('lost'),
    repeated: sum('repeated'),
    reconnects: sum('reconnects'),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  } satisfies Watched);
}
