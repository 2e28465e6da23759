/** What a process takes while it reads answers that stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { StreamReader } from '../peers/stream-reader.js';
import { cpuTimeMs } from './cpu-time.js';
import type { EndlessModel } from './endless-model.js';
import type { Lab } from './lab.js';
import { startNode, type NodeProcess } from './node-process.js';
import type { ProbeAnswer } from './probe-process.js';
import { PROBE } from './stack.js';
import { until } from './until.js';

export interface Streaming {
  readonly probe: ProbeAnswer;
  /** Processor time for a piece, in microseconds; null where it cannot be known. */
  readonly cpuOfPiece: number | null;
}

const READER = new URL('../../dist/peers/stream-reader.js', import.meta.url);
const WINDOW_MS = 4_000;
const LIMIT_MS = 240_000;

/** Waits until so many answers are being read. */
export async function whenStreaming(model: EndlessModel, count: number): Promise<void> {
  await until(`${count} streams`, LIMIT_MS, () => Promise.resolve(model.open() >= count ? true : null));
}

/** Looks at a process for some seconds. */
export async function watchStreaming(process: NodeProcess, model: EndlessModel): Promise<Streaming> {
  await process.ask<ProbeAnswer>({ type: 'probe' }); // Starts the count of delays anew.
  const [pieces, cpu] = [model.pieces(), cpuTimeMs(process.pid)];
  await sleep(WINDOW_MS);
  const [read, used] = [model.pieces() - pieces, cpuTimeMs(process.pid)];
  const probe = await process.ask<ProbeAnswer>({ type: 'probe' });
  return { probe, cpuOfPiece: cpu === null || used === null ? null : ((used - cpu) * 1_000) / read };
}

/** So many streams in a process that does nothing else. */
export async function readAlone(
  lab: Lab,
  reader: StreamReader,
  model: EndlessModel,
  count: number,
): Promise<Streaming> {
  const process = await startNode({
    entry: READER,
    args: [reader, model.url, String(count)],
    execArgv: ['--expose-gc', '--import', PROBE.href],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    log: join(lab.folder, `${reader}-streams.log`),
    ready: 'ready',
  });
  try {
    await whenStreaming(model, count);
    await sleep(1_000); // Its code is compiled by then.
    return await watchStreaming(process, model);
  } finally {
    await process.kill();
    await until('an end of the streams', LIMIT_MS, () => Promise.resolve(model.open() === 0 ? true : null));
  }
}
