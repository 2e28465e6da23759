/** What the files of tasks take: room on this disk, and checkpoints that are stored. */
import { statfs } from 'node:fs/promises';
import { packStoreAt } from '@bullpen/checkpoints';
import type { UpSettings } from '@bullpen/platform';
import { PostgresPackStore, totalsOfWorkspaces, type createPool } from '@bullpen/store';
import { bytes as shownBytes, plural } from '../render/format.js';
import { onDiskText } from '../render/workspace-views.js';
import { reasonOf } from '../errors.js';
import type { Check } from './check.js';

type StoreSettings = Pick<UpSettings, 'CHECKPOINTS' | 'CHECKPOINT_STORE' | 'CHECKPOINT_TOTAL_BYTES'>;

/** Below this, clones and the installs of agents soon fail. */
const LITTLE_BYTES = 2 * 1_024 ** 3;

/** Null while the folder is not there yet. */
export async function roomCheck(home: string): Promise<Check | null> {
  const found = await statfs(home).catch(() => null);
  return found === null ? null : roomOf(home, found.bavail * found.bsize);
}

/** Judges what is free. */
export function roomOf(home: string, free: number): Check {
  const name = 'Disk space';
  const proof = `${shownBytes(free)} free at ${home}`;
  const fix = 'make room, or set WORKSPACE_KEEP_HOURS to remove the folders of ended tasks';
  return free < LITTLE_BYTES ? { name, status: 'warn', proof, fix } : { name, status: 'ok', proof };
}

/** What is stored, and whether it is more than the settings allow. */
export async function checkpointCheck(
  settings: StoreSettings,
  pool: ReturnType<typeof createPool>,
): Promise<Check> {
  const name = 'Checkpoints';
  const { CHECKPOINTS: on, CHECKPOINT_STORE: place, CHECKPOINT_TOTAL_BYTES: most } = settings;
  if (!on)
    return { name, status: 'info', proof: 'CHECKPOINTS=off: the files of tasks are only on their machine' };
  const packs = packStoreAt(place, () => new PostgresPackStore(pool));
  try {
    const lines = await packs.lines();
    const bytes = lines.reduce((sum, line) => sum + line.bytes, 0);
    const where = place === 'postgres' ? 'PostgreSQL' : place.folder;
    const proof = `${shownBytes(bytes)} of ${plural(lines.length, 'task tree')} in ${where}`;
    if (most === undefined || bytes < most) return { name, status: 'ok', proof };
    const fix = 'raise CHECKPOINT_TOTAL_BYTES, or delete old tasks: bullpen prune --older-than 30d';
    return { name, status: 'warn', proof: `${proof}: no more are taken (CHECKPOINT_TOTAL_BYTES)`, fix };
  } catch (error) {
    return { name, status: 'fail', proof: reasonOf(error), fix: 'correct CHECKPOINT_STORE' };
  }
}

/** What lies on disks, as `bullpen workspaces` says it. */
export async function workspaceCheck(pool: ReturnType<typeof createPool>): Promise<Check> {
  const proof = onDiskText(await totalsOfWorkspaces(pool, null));
  return { name: 'Workspaces', status: 'info', proof };
}
