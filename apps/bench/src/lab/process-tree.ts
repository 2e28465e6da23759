/** What a tree of processes takes: CPU to the nanosecond, and memory with what several share counted once. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** The process, its children, theirs, and so on. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of numbersIn('/proc')) {
    const parent = parentOf(pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Time that all threads of the process were on a core so far, in ms; 0 for one that has ended. */
export function onCoreMs(pid: number): number {
  const ofThread = (tid: number) =>
    Number(readIf(`/proc/${pid}/task/${tid}/schedstat`)?.split(' ')[0] ?? 0) / 1e6;
  return numbersIn(`/proc/${pid}/task`).reduce((sum, tid) => sum + ofThread(tid), 0);
}

/** Its own pages and its share of those that it shares (PSS), in bytes. */
export function memoryOf(pid: number): number {
  return 1_024 * Number(/^Pss: +(\d+)/m.exec(readIf(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0);
}

function parentOf(pid: number): number | null {
  const stat = readIf(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces; the fields after it do not.
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return []; // The process has ended, or this is not Linux.
  }
}

function readIf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // It ended between two looks.
  }
}
