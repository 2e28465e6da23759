/**
 * A lock that one process holds, as a file that names it. The file appears whole or not at all (a hard link to a finished one), outlives a
 * crash, and is then taken over.
 */
import { link, open, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts/errors';
import { startTimeOf } from './process-identity.js';
import { readIfThere } from './read-if-there.js';

type ProcessLock =
  | {
      readonly kind: 'taken';
      /** The process that held it and is gone. */
      readonly tookOverFrom: number | null;
      /** Gives the lock back; may be called twice. */
      release(): Promise<void>;
    }
  | { readonly kind: 'held'; readonly pid: number };

/** Long enough for a rival that saw the same dead holder to have done its rename. */
const SETTLE_MS = 50;
/** More rivals than this at once take a lock from each other only when something is wrong. */
const MOST_ROUNDS = 10;

/** Takes the lock for this process, or says who holds it; never waits for a holder. */
export async function takeProcessLock(path: string): Promise<ProcessLock> {
  const mine = `${process.pid} ${await startTimeOf(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  let tookOverFrom: number | null = null;
  await writeDurably(draft, mine);
  try {
    // Each round takes the lock, finds a live holder, or has removed the lock of a dead one.
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      if (await linkIfAbsent(draft, path)) {
        if (round > 0) await sleep(SETTLE_MS);
        if (round === 0 || (await readIfThere(path)) === mine)
          return { kind: 'taken', tookOverFrom, release: () => releaseIf(path, mine) };
      }
      const seen = await readIfThere(path);
      if (seen === null) continue;
      const pid = await holderOf(seen);
      if (pid !== null) return { kind: 'held', pid };
      tookOverFrom = pidIn(seen);
      await removeDead(path, seen);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new AppError('already_running', `Several processes are trying to take ${path} at once; try again`, {
    retryable: true,
  });
}

/** The process that holds the lock now; null when none does, or when the one that did is gone. */
export async function processLockHolder(path: string): Promise<number | null> {
  const content = await readIfThere(path);
  return content === null ? null : holderOf(content);
}

async function releaseIf(path: string, mine: string): Promise<void> {
  if ((await readIfThere(path)) === mine) await rm(path, { force: true });
}

/** Moves a lock away before it is deleted: of two that found it dead, only one moves it. A rival's fresh one is put back. */
async function removeDead(path: string, seen: string): Promise<void> {
  const aside = `${path}.dead.${process.pid}`;
  if (!(await succeeds(rename(path, aside), 'ENOENT'))) return;
  if ((await readIfThere(aside)) !== seen) await linkIfAbsent(aside, path);
  await rm(aside, { force: true });
}

/** Null also for content that names no start time: a lock is complete when it appears, so that is none of ours. */
async function holderOf(content: string): Promise<number | null> {
  const pid = pidIn(content);
  const [, startTime] = content.split(/ (.*)/s);
  return pid !== null && (await startTimeOf(pid)) === startTime ? pid : null;
}

function pidIn(content: string): number | null {
  const pid = Number.parseInt(content, 10);
  return pid > 0 ? pid : null;
}

function linkIfAbsent(from: string, to: string): Promise<boolean> {
  return succeeds(link(from, to), 'EEXIST');
}

async function succeeds(action: Promise<void>, expectedFailure: string): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expectedFailure) return false;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
