/** The processes of a box as the machine sees them: all that share the process space of its first one. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { signalGroup } from './process-group.js';
import type { ProcessAnchor } from './sandbox.js';

/** The fields of /proc/PID/stat behind the name, which stands in parentheses and may hold blanks and parentheses itself. */
function statOf(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** When a process began, in clock ticks since boot; 0 when it is gone. */
export function startTicksOf(pid: number): number {
  return Number(statOf(pid)?.[19] ?? 0);
}

/** Whether that very process is there and runs: one that is dead but not collected does not. */
export function isRunning({ pid, startTicks }: ProcessAnchor): boolean {
  const stat = statOf(pid);
  return stat !== null && Number(stat[19]) === startTicks && stat[0] !== 'Z' && stat[0] !== 'X';
}

/** The process space of a process, as a name; null when it is gone or somebody else's. */
export function processSpaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}

/** All processes of a space but its first one. */
export function processesIn(space: string, first: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== first && processSpaceOf(pid) === space);
}

/** Sends a signal to a process, if it is there. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** As often as new processes may appear while the others are stopped. */
const MOST_ROUNDS = 50;

/** Holds still all that run in boxes, given by their first processes; gives what lets them go on. */
export function holdStill(firstPids: Iterable<number>): () => void {
  const boxes = [...firstPids].flatMap((pid) => {
    const space = processSpaceOf(pid);
    return space === null ? [] : [() => processesIn(space, pid)];
  });
  for (const pids of boxes) {
    const held = new Set<number>();
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const others = pids().filter((pid) => !held.has(pid));
      if (others.length === 0) break;
      for (const pid of others) {
        signalProcess(pid, 'SIGSTOP');
        held.add(pid);
      }
    }
  }
  return () => {
    for (const pids of boxes) for (const pid of pids()) signalProcess(pid, 'SIGCONT');
  };
}

/**
 * Ends what a worker left behind, by the anchor that it noted; does nothing when that process is gone, also when somebody else has
 * its number now, and when it is not ours to end. In a box everything ends with it; without one, what is still in its group.
 */
export function endLeftover(anchor: ProcessAnchor): boolean {
  if (anchor.startTicks === 0 || !isRunning(anchor)) return false;
  const group = signalGroup(anchor.pid, 'SIGKILL');
  try {
    signalProcess(anchor.pid, 'SIGKILL');
    return true;
  } catch {
    return group; // Another user's: its own worker ends it.
  }
}
