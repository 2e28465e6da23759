/**
 * Makes less of the checkpoints of trees that are over: after some days, and sooner while more is stored than is allowed. The rows go first, so that none is
 * without its objects; packs that are still there after a crash are found by their number.
 */
import { join } from 'node:path';
import { Checkpoints } from '@bullpen/checkpoints';
import type { PackStore, StoredLine } from '@bullpen/core';
import type { Logger } from '@bullpen/platform';
import type { ReconcilerJob } from '@bullpen/queue';
import type { CheckpointHouse } from '@bullpen/store';

export interface CompactionOptions {
  readonly packs: PackStore;
  readonly house: CheckpointHouse;
  /** Folder for what checkpoints are made with. */
  readonly shadows: string;
  /** Null: never because of age. */
  readonly keepDays: number | null;
  /** Most bytes of all trees; null: no limit. */
  readonly mostBytes: number | null;
  readonly logger: Logger;
}

const EVERY_MS = 3_600_000;
/** Of one run; the next one goes on. */
const LONGEST_MS = 300_000;

export function compactionJob(options: CompactionOptions, signal: AbortSignal): readonly ReconcilerJob[] {
  if (options.keepDays === null && options.mostBytes === null) return [];
  const run = async (): Promise<number> => {
    await compact(options, AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]));
    // Time is no repair.
    return 0;
  };
  return [{ name: 'compaction', everyMs: EVERY_MS, run }];
}

/** Gives the trees that have less now. The signal stops it; each tree is whole before and after. */
export async function compact(options: CompactionOptions, signal: AbortSignal): Promise<readonly string[]> {
  const { packs, house, keepDays, mostBytes, logger } = options;
  const lines = (await packs.lines()).filter((line) => line.packs > 1);
  const names = lines.map(({ line }) => line);
  const old = new Set(keepDays === null ? [] : await house.over(names, keepDays));
  const ended = mostBytes === null ? [...old] : await house.over(names, 0);
  const done: string[] = [];
  for (const line of ended) {
    if (signal.aborted) break;
    if (!old.has(line) && !isOver(await packs.lines(), mostBytes)) continue;
    try {
      if (await compactLine(options, line, signal)) done.push(line);
    } catch (err) {
      if (!signal.aborted) logger.warn({ err, rootId: line }, 'checkpoints could not be compacted');
    }
  }
  if (done.length > 0) logger.info({ trees: done.length }, 'checkpoints of old tasks were compacted');
  return done;
}

/** What is stored while it runs is not among the packs that it replaces. */
async function compactLine(
  { packs, house, shadows }: CompactionOptions,
  line: string,
  signal: AbortSignal,
): Promise<boolean> {
  const among = await packs.list(line);
  const keep = await house.thin(line);
  if (keep === null) return false;
  const shadow = { folder: join(shadows, line) };
  // No file of a workspace is looked at.
  const checkpoints = new Checkpoints({ shadow, workspace: '', line, packs, coverage: {}, owner: null });
  await checkpoints.compact(keep, signal, among);
  return true;
}

function isOver(lines: readonly StoredLine[], mostBytes: number | null): boolean {
  return mostBytes !== null && lines.reduce((sum, { bytes }) => sum + bytes, 0) > mostBytes;
}
