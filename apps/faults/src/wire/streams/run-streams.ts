/** Judges many streams in threads of their own: one that never comes back from a stream is seen, and ended. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { NONE, type StreamCounts, type StreamReport } from './judge-streams.js';
import type { Share } from './stream-worker.js';

type Message = { readonly at: string } | { readonly report: StreamReport };

/** A thread that is silent for so long hangs. */
const SILENT_MS = 120_000;

/** Reads so many streams and says what went wrong. */
export async function runStreams(count: number, seed: number, signal: AbortSignal): Promise<StreamReport> {
  const threads = Math.min(availableParallelism(), 4);
  const shares = Array.from({ length: threads }, (_, thread) => ({ count, seed, thread, threads }));
  const reports = await Promise.all(shares.map((share) => runShare(share, signal)));
  return {
    counts: reports.map(({ counts }) => counts).reduce(added, NONE),
    examples: reports.flatMap(({ examples }) => examples),
  };
}

function runShare(share: Share, signal: AbortSignal): Promise<StreamReport> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./stream-worker.js', import.meta.url), { workerData: share });
    let at = '';
    const end = (report: StreamReport) => {
      clearTimeout(watchdog);
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(report);
    };
    const failed = (fault: 'crashes' | 'hangs', why: string) =>
      end({ counts: { ...NONE, [fault]: 1 }, examples: [`${fault}: after ${at}: ${why}`] });
    const watchdog = setTimeout(() => failed('hangs', `silent for ${SILENT_MS} ms`), SILENT_MS);
    const stop = () => failed('crashes', 'it was stopped');
    signal.addEventListener('abort', stop, { once: true });
    worker.on('error', (error) => failed('crashes', String(error)));
    worker.on('message', (message: Message) => {
      if ('report' in message) return end(message.report);
      watchdog.refresh();
      at = message.at;
    });
  });
}

function added(sum: StreamCounts, counts: StreamCounts): StreamCounts {
  const names = Object.keys(sum) as (keyof StreamCounts)[];
  return Object.fromEntries(names.map((name) => [name, sum[name] + counts[name]])) as unknown as StreamCounts;
}
