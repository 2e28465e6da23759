/** Processes that specs and drills start, on file: the end of a run, and the guard of the process, end those that are left behind. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardedFolder } from './run-guard.js';

/** Puts a process on the list; `what` names it in the report of a leak. */
export function trackPid(pid: number, what: string): void {
  writeFileSync(join(guardedFolder(), String(pid)), `${process.pid}\n${what}\n`);
}

/** Takes a process that has ended off the list. */
export function untrackPid(pid: number): void {
  rmSync(join(guardedFolder(), String(pid)), { force: true });
}
