/**
 * Watchers of tasks, in a process of their own: each holds a stream of the gateway open, loses its connection again and again, and comes back
 * with the last id that it has. They count what did not come, or came twice, and how late the rest was.
 */
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http';
import { percentile } from '../report/statistics.js';

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

const agent = new Agent({ keepAlive: false });

class Watcher {
  readonly latencies: number[] = [];
  readonly times: number[] = [];
  lost = 0;
  repeated = 0;
  reconnects = 0;
  private last = 0;
  private connectedAt = 0;
  private ended: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => (this.ended = resolve));

  constructor(
    private readonly stream: string,
    private readonly key: string,
  ) {}

  /** Resolves when the stream is open. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${this.key}`, 'last-event-id': String(this.last) };
      const request = get(this.stream, { agent, headers }, (response) => {
        resolve();
        if (response.statusCode === 204) return this.ended();
        this.connectedAt = Date.now();
        this.read(response);
        this.cutSoon(request);
      });
      request.on('error', () => undefined); // Its close follows.
      request.once('close', () => this.comeBack(request));
    });
  }

  private cutSoon(request: ClientRequest): void {
    const timer = setTimeout(() => request.destroy(), Math.random() * CUT_MS);
    request.once('close', () => clearTimeout(timer));
  }

  private comeBack({ res }: ClientRequest & { res?: IncomingMessage }): void {
    if (res?.statusCode === 204) return;
    this.reconnects += 1;
    setTimeout(() => void this.open(), RETRY_MS);
  }

  private read(response: IncomingMessage): void {
    let rest = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) this.take(frame);
    });
    response.on('error', () => undefined); // The cut, or the gateway's: both are followed by a close.
  }

  /** Only rows have an id: texts that stream are no part of the record. */
  private take(frame: string): void {
    const seq = Number(/^id: (\d+)$/m.exec(frame)?.[1] ?? 0);
    const data = /^data: (.+)$/m.exec(frame)?.[1];
    if (data === undefined || seq === 0) return;
    if (seq <= this.last) this.repeated += 1;
    else this.lost += seq - this.last - 1;
    this.last = Math.max(this.last, seq);
    this.times.push(performance.now());
    const at = Date.parse((JSON.parse(data) as { at: string }).at);
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
    Array.from({ length: perTask }, () => new Watcher(`${url}/v1/tasks/${id}/stream`, key)),
  );
  for (const watcher of watchers) await watcher.open();
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
