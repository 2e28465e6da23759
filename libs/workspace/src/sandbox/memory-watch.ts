/**
 * Bounds the memory of a box as a whole: that of its processes, and that of its files in memory, which no limit of a process counts.
 * Looked at often enough that little more is taken than allowed.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { processesIn, processSpaceOf } from './box-processes.js';

const EVERY_MS = 50;
/** Where a box has files in memory. */
const IN_MEMORY = ['tmp', 'var/tmp', 'dev/shm'];

/** Calls `onExceeded` once when the box uses more. Ended by the function that it gives. */
export function watchMemory(firstPid: number, memoryBytes: number, onExceeded: () => void): () => void {
  const space = processSpaceOf(firstPid);
  if (space === null || memoryBytes === Infinity) return () => undefined;
  const timer = setInterval(() => {
    if (usedBytes(space, firstPid, memoryBytes) <= memoryBytes) return;
    clearInterval(timer);
    onExceeded();
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function usedBytes(space: string, firstPid: number, memoryBytes: number): number {
  const pids = processesIn(space, firstPid);
  const files = IN_MEMORY.reduce((sum, folder) => sum + fileBytes(`/proc/${firstPid}/root/${folder}`), 0);
  const sum = (bytesOf: (pid: number) => number): number =>
    pids.reduce((total, pid) => total + bytesOf(pid), files);
  // What processes share is counted for each of them, so this is too much or right.
  const atMost = sum(residentBytes);
  return atMost <= memoryBytes ? atMost : sum(shareOf);
}

/** Memory of its own, and shared memory that it has touched. */
function residentBytes(pid: number): number {
  return fieldsOf(`/proc/${pid}/status`, /^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm);
}

/** Exact: of what it shares, its part. Slow for large processes. */
function shareOf(pid: number): number {
  return fieldsOf(`/proc/${pid}/smaps_rollup`, /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm);
}

function fieldsOf(file: string, pattern: RegExp): number {
  try {
    const fields = readFileSync(file, 'utf8').matchAll(pattern);
    return [...fields].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1_024, 0);
  } catch {
    // Gone meanwhile.
    return 0;
  }
}

function fileBytes(folder: string): number {
  try {
    const { bsize, blocks, bfree } = statfsSync(folder);
    return bsize * (blocks - bfree);
  } catch {
    return 0;
  }
}
