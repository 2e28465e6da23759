/** Which processes are servers on a data folder. */
import { execFile } from 'node:child_process';
import { readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { processColumn } from '@bullpen/platform';

/** True when the process is a Postgres server on this data folder. */
export async function isPostgresOn(pid: number, dataFolder: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await processColumn(pid, 'command=')).includes(dataFolder);
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
