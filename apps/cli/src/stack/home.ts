/** The home folder: for us alone, as it holds keys, the database and copies of people's files. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the folder when it is not there. An existing one keeps its mode: as root the database's user must be able to pass
 * through it, which the store sees to.
 */
export function prepareHome(home: string): void {
  const created = mkdirSync(home, { recursive: true, mode: 0o700 });
  // The mode of mkdir is cut by the umask.
  if (created !== undefined) chmodSync(home, 0o700);
  mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 });
}
