/**
 * Whether everything that was to be covered in a box is. Between the look at the workspace and the mounts somebody may have put a link in
 * the way, and then the mount lies elsewhere; so it is looked at again in the box itself, before its command begins.
 */
import { readFileSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import type { WorkspaceMounts } from './profile.js';
import { escaped, placesOf } from './stage.js';

/** Throws `tool_failed` when something is not. */
export function assertCovered(firstPid: number, mounts: WorkspaceMounts): void {
  const places = placesOf(mounts);
  if (places.length === 0) return;
  const table = readFileSync(`/proc/${firstPid}/mountinfo`, 'latin1');
  const covered = new Set(table.split('\n').map((line) => line.split(' ')[4]));
  const missing = places.find((place) => !covered.has(escaped(place)));
  if (missing === undefined) return;
  throw new AppError(
    'tool_failed',
    `The workspace changed while the command was started: ${String(missing)} could not be protected; try again`,
  );
}
