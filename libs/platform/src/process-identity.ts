/** Telling whether a process that a file names is still the same one: process ids are used again. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** True when some process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * True while the process can still do something. Unlike `isAlive` not for one that has ended and waits for its parent to notice,
 * which in a container without an init process is forever.
 */
export async function isRunning(pid: number): Promise<boolean> {
  return (await startTimeOf(pid)) !== null;
}

/** When the process started, in the system's own notation; null when there is no such process. With the pid it is unique. */
export async function startTimeOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return (await processColumn(pid, 'lstart=')) || null;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The program's name, in brackets, may hold blanks; fields are counted from behind it. Field 22 is the start time, 3 the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** What `ps` says of a process in one column; empty when there is no such process. */
export async function processColumn(pid: number, column: string): Promise<string> {
  const run = promisify(execFile);
  const result = await run('ps', ['-o', column, '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return result.stdout.trim();
}
