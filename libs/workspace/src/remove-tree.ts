/**
 * Removes a folder with all that is in it. By `rm`, which goes down by descriptors: Node's own removal goes by paths, so a folder that a
 * command swaps for a link meanwhile would lead it out of the folder.
 */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Nothing of ours; what it says is English. */
const OPTIONS = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 16 * 1_024 * 1_024 };

/** Does nothing when there is nothing. Throws when something is left. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await run('rm', ['-rf', '--', folder], OPTIONS);
  } catch (error) {
    if (!(await isThere(folder))) return;
    // A command may have closed its own folders to us where we are the same user.
    await run('chmod', ['-R', 'u+rwX', '--', folder], OPTIONS).catch(() => undefined);
    await run('rm', ['-rf', '--', folder], OPTIONS).catch(() => {
      throw error;
    });
  }
}

async function isThere(folder: string): Promise<boolean> {
  return lstat(folder).then(
    () => true,
    () => false,
  );
}
