/** Telling whether a process that a file names is still the same one: process ids are used again. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
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
  if (process.platform !== 'linux') return (await ps(pid, 'lstart=')) || null;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The program's name, in brackets, may hold blanks; fields are counted from behind it. Field 22 is the start time, 3 the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** True when the process is a Postgres server on this data folder. */
export async function isPostgresOn(pid: number, dataFolder: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await ps(pid, 'command=')).includes(dataFolder);
  // A server works inside its data folder. The link can't be read of a process of another user: then it is none of ours.
  return (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === dataFolder;
}

/** Ids of all processes that work inside this data folder: a server and its sessions. */
export async function postgresProcessesOn(dataFolder: string): Promise<readonly number[]> {
  const all = process.platform === 'linux' ? await readdir('/proc') : (await allPids()).split('\n');
  const pids = all.map(Number).filter((pid) => Number.isInteger(pid) && pid > 0);
  const here = await Promise.all(pids.map((pid) => isPostgresOn(pid, dataFolder)));
  return pids.filter((_, at) => here[at]);
}

async function allPids(): Promise<string> {
  return (await promisify(execFile)('ps', ['-axo', 'pid=']).catch(() => ({ stdout: '' }))).stdout;
}

async function ps(pid: number, column: string): Promise<string> {
  const run = promisify(execFile);
  const result = await run('ps', ['-o', column, '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return result.stdout.trim();
}
