/** What an attack leaves behind on the machine: processes, temporary files, control groups, mounts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessAnchor } from '@bullpen/workspace';
import type { Finding } from './finding.js';

/** So long may the end of what was left take. */
const GRACE_MS = 1_000;
const LOOK_MS = 25;

export interface Traces {
  /** Stands in the environment or the arguments of everything that was started. */
  readonly cookie: string;
  /** The first processes of all boxes: whatever a box holds ends with its own. */
  readonly anchors: readonly ProcessAnchor[];
  /** Folder for temporary files of our own code. */
  readonly tmp: string;
}

/** The machine before an attack. */
export interface Before {
  readonly children: ReadonlySet<number>;
  readonly tmp: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly mounts: number;
}

/** What is there before an attack: what is there afterwards and not in this was left by it. */
export function lookAround(tmp: string): Before {
  return {
    children: new Set(ownChildren()),
    tmp: new Set(readdirSync(tmp)),
    groups: new Set(controlGroups()),
    mounts: mountsOf(tmp),
  };
}

/** What is still there a second later. */
export async function leftovers(traces: Traces, before: Before): Promise<readonly Finding[]> {
  const deadline = performance.now() + GRACE_MS;
  for (;;) {
    const left = present(traces, before);
    if (left.length === 0 || performance.now() > deadline)
      return left.map((what) => ({ harm: 'leftover', what }));
    await sleep(LOOK_MS);
  }
}

function present(traces: Traces, before: Before): string[] {
  const files = readdirSync(traces.tmp).filter((name) => !before.tmp.has(name));
  const groups = controlGroups().filter((group) => !before.groups.has(group));
  const mounts = mountsOf(traces.tmp) - before.mounts;
  const children = ownChildren().filter((pid) => !before.children.has(pid));
  return [
    ...[...new Set([...processesOf(traces), ...children])].map((pid) => `a process is left: ${nameOf(pid)}`),
    ...files.map((name) => `a temporary file is left: ${name}`),
    ...groups.map((group) => `a control group is left: ${group}`),
    ...(mounts > 0 ? [`${mounts} mounts are left`] : []),
  ];
}

function processesOf({ cookie, anchors }: Traces): number[] {
  const firsts = anchors.filter(({ pid, startTicks }) => Number(statOf(pid)[19]) === startTicks);
  const others = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isMarked(pid, cookie));
  return [...firsts.map(({ pid }) => pid), ...others];
}

function isMarked(pid: number, cookie: string): boolean {
  return [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`].some((file) => read(file).includes(cookie));
}

/** The fields behind the name; a dead process has none that count. */
function statOf(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? [] : fields;
}

function ownChildren(): number[] {
  return read(`/proc/self/task/${process.pid}/children`).split(' ').filter(Boolean).map(Number);
}

function nameOf(pid: number): string {
  return `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 80)}`;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // Gone, or another user's.
  }
}

/** Groups in any of the hierarchies, two levels deep: boxes make theirs below our own. */
function controlGroups(): string[] {
  const own = read('/proc/self/cgroup')
    .split('\n')
    .map((line) => line.split(':').at(-1) ?? '');
  const tops = ['', 'memory', 'pids', 'unified'].flatMap((kind) =>
    ['', ...own].map((group) => join('/sys/fs/cgroup', kind, group)),
  );
  return [...new Set(tops)].filter((top) => existsSync(top)).flatMap(foldersBelow);
}

function foldersBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /bullpen|box|bwrap/i.test(entry.name))
      .map(({ name }) => join(folder, name));
  } catch {
    return []; // Gone meanwhile.
  }
}

/** Below the arena: others may mount and unmount meanwhile what they like. */
function mountsOf(tmp: string): number {
  return read('/proc/self/mountinfo').split(dirname(tmp)).length;
}
