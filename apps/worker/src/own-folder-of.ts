import type { WorkerSettings } from '@bullpen/platform';

/** Where a worker keeps workspaces and what belongs to them: its own disk, or what all workers of a machine share. */
export function ownFolderOf({
  WORKER_FOLDER: own,
  BULLPEN_HOME: home,
}: Pick<WorkerSettings, 'BULLPEN_HOME' | 'WORKER_FOLDER'>): string {
  return own ?? home;
}
