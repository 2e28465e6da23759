/** Processes that another worker of this machine left behind: found by pid and start time, so that nobody else's pid is ever hit. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeftProcess } from '@bullpen/core';
import { endLeftover, isRunning } from '../sandbox/box-processes.js';

/** Where a pid means the same as here: this boot of this machine, and its space of pids. Empty where that cannot be told. */
export function pidSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return ''; // No Linux: the guard of the lost worker has ended what it ran.
  }
}

/** How long the kernel may take to end a process that was killed. */
const MOST_MS = 2_000;
const POLL_MS = 20;

/** Kills what runs in this space of pids; resolves when it is gone. What is not ours to kill its own worker ends. */
export async function endLeft(left: readonly LeftProcess[], space = pidSpace()): Promise<void> {
  if (space === '') return;
  const here = left.flatMap(({ pidSpace, anchor }) =>
    pidSpace === space && anchor !== null ? [anchor] : [],
  );
  const killed = here.filter(endLeftover);
  for (const deadline = performance.now() + MOST_MS; performance.now() < deadline; await sleep(POLL_MS))
    if (!killed.some(isRunning)) return;
}
