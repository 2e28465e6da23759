/** Processes that specs start, on file, so that the end of the run can end those that a crashed spec left behind. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Puts a process on the run's list; `what` names it in the report of a leak. */
export function trackPid(pid: number, what: string): void {
  const folder = pidFolder();
  if (folder === null) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, String(pid)), what);
}

/** Takes a process that has ended off the list. */
export function untrackPid(pid: number): void {
  const folder = pidFolder();
  if (folder !== null) rmSync(join(folder, String(pid)), { force: true });
}

function pidFolder(): string | null {
  const run = process.env['BULLPEN_TEST_FOLDER'];
  return run === undefined ? null : join(run, 'pids');
}
