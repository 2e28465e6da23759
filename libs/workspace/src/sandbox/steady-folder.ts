/** Changes in a folder of the workspace, in which no link is followed, whatever happens to the folders above it meanwhile. */
import { closeSync, constants, openSync } from 'node:fs';
import { onDisk } from './byte-path.js';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Calls `use` with a path that is the folder which was found, also when somebody puts another in its place. Names are byte strings.
 * Throws as `open` does when one of them is a link or gone.
 */
export function withSteadyFolder<T>(root: string, names: readonly string[], use: (folder: string) => T): T {
  let handle = openSync(onDisk(root), FOLDER);
  try {
    for (const name of names) {
      const next = openSync(onDisk(`/proc/self/fd/${handle}/${name}`), FOLDER);
      closeSync(handle);
      handle = next;
    }
    return use(`/proc/self/fd/${handle}`);
  } finally {
    closeSync(handle);
  }
}
