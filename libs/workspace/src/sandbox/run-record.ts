/**
 * What a workspace looked like before a command, on disk while it runs: when the worker dies, the next command in that workspace finds it,
 * and what the dead one's command made under protected names is taken back then.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRunning, startTicksOf } from './box-processes.js';
import type { Snapshot, SnapshotEntry } from './workspace-plan.js';

interface Written {
  readonly pid: number;
  readonly startTicks: number;
  readonly entries: readonly (readonly [string, SnapshotEntry])[];
  readonly identities: readonly string[];
}

let count = 0;

/** Writes it; gives what removes it. */
export function recordRun(folder: string, root: string, { entries, identities }: Snapshot): () => void {
  const place = folderOf(folder, root);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const file = path.join(place, `${process.pid}-${(count += 1)}.json`);
  const record: Written = {
    pid: process.pid,
    startTicks: startTicksOf(process.pid),
    entries: [...entries],
    identities: [...identities],
  };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The oldest of those whose worker is gone, since nothing was taken back after it; all of them are removed. */
export function unfinishedRun(folder: string, root: string): Snapshot | null {
  const place = folderOf(folder, root);
  const left = namesIn(place)
    .map((name) => path.join(place, name))
    .map((file) => ({ file, record: readRecord(file) }))
    .filter(({ record }) => record === null || !isRunning(record));
  for (const { file } of left) rmSync(file, { force: true });
  const record = left.find((each) => each.record !== null)?.record;
  if (record === undefined || record === null) return null;
  return { entries: new Map(record.entries), identities: new Set(record.identities) };
}

function folderOf(folder: string, root: string): string {
  return path.join(folder, 'running', createHash('sha256').update(root).digest('hex').slice(0, 20));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Null for one that was cut off by the crash: its command had not begun. */
function readRecord(file: string): Written | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Written;
  } catch {
    return null;
  }
}
