/** The home folder: for us alone, as it holds keys, the database and copies of people's files. */
import { join } from 'node:path';
import { OURS, ownFolder, ownHome } from '@bullpen/platform';

/** The lock of the one stack that a home can have. */
export function lockFile(home: string): string {
  return join(home, 'up.lock');
}

/** Makes the folder when it is not there. As root the database's user must be able to pass through it, which the store sees to. */
export function prepareHome(home: string): void {
  ownHome(home);
  ownFolder(join(home, 'logs'), OURS);
}
