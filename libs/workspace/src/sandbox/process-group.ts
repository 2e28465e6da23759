/** Signals for a whole process group: the shell and everything it started that did not leave the group on purpose. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends a signal to each process of the group. False when no process that can be signalled is left. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // EPERM: only processes of other users are left (a set-uid program); there is nothing that we may do about them.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

/** How often a group that was told to stop is looked at. */
const POLL_MS = 25;

/** Waits until the group is gone or the grace is over, then kills what is left. */
export async function endGroup(groupId: number, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (signalGroup(groupId, 0)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) {
      signalGroup(groupId, 'SIGKILL');
      return;
    }
    await sleep(Math.min(POLL_MS, leftMs));
  }
}
