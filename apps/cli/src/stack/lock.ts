/**
 * One stack per home folder. The lock is a file that names its holder; it appears whole or not at all (a hard link to a
 * finished file), and a lock whose holder is gone is taken over.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who holds a lock. `birth` tells a process from a later one with the same pid. */
export interface LockHolder {
  readonly pid: number;
  readonly birth: string | null;
}

export type LockResult =
  | { readonly kind: 'taken'; release(): void; readonly tookOverFrom: number | null }
  | { readonly kind: 'held'; readonly pid: number };

/** Takes the lock of a home folder for this process. Never waits. `release` may be called twice. */
export function takeLock(home: string): LockResult {
  const path = lockPath(home);
  const own = `${path}.${process.pid}`;
  const holder: LockHolder = { pid: process.pid, birth: birthOf(process.pid) };
  writeFileSync(own, JSON.stringify(holder), { mode: 0o600 });
  let tookOverFrom: number | null = null;
  try {
    // Each round ends with a lock of ours, a live holder, or a stale lock out of the way.
    for (;;) {
      if (linkIfAbsent(own, path)) return { kind: 'taken', tookOverFrom, release: () => releaseLock(path) };
      const other = readHolder(path);
      if (other !== null && isAlive(other)) return { kind: 'held', pid: other.pid };
      tookOverFrom = other?.pid ?? tookOverFrom;
      removeStale(path, other);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** The process that holds the lock of this home, or null. */
export function lockHolder(home: string): number | null {
  const holder = readHolder(lockPath(home));
  return holder !== null && isAlive(holder) ? holder.pid : null;
}

/** Whether this process exists: same pid and, where the system tells, same time of birth. */
export function isAlive(holder: LockHolder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const birth = birthOf(holder.pid);
  return holder.birth === null || birth === null || birth === holder.birth;
}

function lockPath(home: string): string {
  return join(home, 'up.lock');
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Moves a stale lock away before it is deleted: of two processes that found it stale, only one moves it. Whoever moved a
 * fresh lock by mistake puts it back.
 */
function removeStale(path: string, stale: LockHolder | null): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    // The other one was faster.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  if (moved !== null && (moved.pid !== stale?.pid || moved.birth !== stale.birth)) linkIfAbsent(aside, path);
  rmSync(aside, { force: true });
}

function releaseLock(path: string): void {
  if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true });
}

function readHolder(path: string): LockHolder | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockHolder>;
    return typeof value.pid === 'number' ? { pid: value.pid, birth: value.birth ?? null } : null;
  } catch (error) {
    // Gone in the meantime, or a file that no version of ours wrote: nobody holds it.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Start time of a process in clock ticks since boot (field 22 of /proc/<pid>/stat); null where the system has no /proc. */
function birthOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, also spaces: count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    // No /proc on this system, or the process is gone: the caller has asked that already.
    return null;
  }
}
