/** A thread of the streams: judges its share of them, and says now and then that it is alive. */
import { parentPort, workerData } from 'node:worker_threads';
import { judgeStreams } from './judge-streams.js';
import { readStream } from './read-stream.js';
import { largeStreams, streams, type Stream } from './streams.js';

export interface Share {
  readonly count: number;
  readonly seed: number;
  readonly thread: number;
  readonly threads: number;
}

const ALIVE_EACH = 200;

function* all(count: number, seed: number): Generator<Stream> {
  const large = largeStreams().slice(0, count);
  yield* large;
  yield* streams(count - large.length, seed);
}

function* shareOf({ count, seed, thread, threads }: Share): Generator<Stream> {
  let number = 0;
  for (const stream of all(count, seed)) {
    if (number % ALIVE_EACH === 0) parentPort?.postMessage({ at: stream.name });
    if (number++ % threads === thread) yield stream;
  }
}

parentPort?.postMessage({ report: await judgeStreams(shareOf(workerData as Share), readStream) });
