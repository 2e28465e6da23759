/** What the figures were measured on. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly postgres: string;
  /** Null when there is no `redis-server`. */
  readonly redis: string | null;
  /** Writes of 8 kB made durable one after the other in the database's folder, in each second: the floor of every serial commit. */
  readonly fsyncsPerSecond: number;
}

/** Looks at the machine. `folder` is on the disk that the database writes to. */
export function inspectMachine(folder: string, versions: Pick<Machine, 'postgres' | 'redis'>): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    ...versions,
    fsyncsPerSecond: fsyncsPerSecond(folder),
  };
}

const PROBE_MS = 500;
const PAGE = Buffer.alloc(8_192, 1);

/** Appends pages and waits for each to be on the disk, for half a second. */
export function fsyncsPerSecond(folder: string): number {
  const path = join(folder, 'fsync-probe');
  const file = openSync(path, 'w');
  try {
    const start = performance.now();
    let count = 0;
    while (performance.now() - start < PROBE_MS) {
      writeSync(file, PAGE);
      fsyncSync(file);
      count += 1;
    }
    return (count / (performance.now() - start)) * 1_000;
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
