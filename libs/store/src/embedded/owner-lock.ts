/** Makes sure that one process owns the server of a home. The lock outlives a crash and is then taken over. */
import { link, open, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts';
import { startTimeOf } from './process-identity.js';
import { readIfThere } from './server-files.js';

/** Long enough for a rival that saw the same dead owner to have done its rename. */
const SETTLE_MS = 50;

/** Takes the lock for this process. Throws `already_running` when a live process holds it. */
export async function takeOwnerLock(path: string): Promise<void> {
  const mine = `${process.pid} ${await startTimeOf(process.pid)}`;
  const draft = `${path}.${process.pid}`;
  await writeDurably(draft, mine);
  try {
    // Each round either takes the lock, ends with an error, or has removed a dead owner's lock.
    for (let round = 0; round < 10; round += 1) {
      if (await tryLink(draft, path)) {
        if (round === 0) return;
        await sleep(SETTLE_MS);
        if ((await readIfThere(path)) === mine) return;
      }
      await removeDeadLock(path);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new AppError(
    'already_running',
    `Several processes are trying to start the database at once (${path}); try again`,
    {
      retryable: true,
    },
  );
}

/** Gives the lock back. */
export async function releaseOwnerLock(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** The process that owns the server now; null when none does, or when the one that did is gone. */
export async function liveOwner(path: string): Promise<number | null> {
  const content = await readIfThere(path);
  return content !== null && (await isHolderAlive(content)) ? Number(content.split(' ')[0]) : null;
}

async function removeDeadLock(path: string): Promise<void> {
  const seen = await readIfThere(path);
  if (seen === null) return;
  if (await isHolderAlive(seen)) {
    const pid = Number(seen.split(' ')[0]);
    throw new AppError(
      'already_running',
      `The embedded database is already running: process ${pid} owns it`,
      {
        details: { pid },
      },
    );
  }
  // A rename is atomic, but a rival may have replaced the dead lock by its own in between: then it gets it back.
  const aside = `${path}.dead.${process.pid}`;
  if (!(await succeeds(rename(path, aside), 'ENOENT'))) return;
  if ((await readIfThere(aside)) !== seen) await tryLink(aside, path);
  await rm(aside, { force: true });
}

/** An owner's file is complete when it appears (it is linked in), so content without a start time is not ours to trust. */
async function isHolderAlive(content: string): Promise<boolean> {
  const [pid, startTime] = content.split(/ (.*)/s);
  return (await startTimeOf(Number(pid))) === startTime;
}

function tryLink(from: string, to: string): Promise<boolean> {
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
