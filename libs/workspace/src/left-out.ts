/**
 * What a copied workspace lacks, kept in the copy itself: it appears and goes with it, and a worker that dies before it has told
 * anybody leaves it for the next one to tell. Agents do not see the folder.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LeftOut } from './copy-folder.js';
import { OWN_FOLDER } from './walk.js';

const FILE = 'left-out.json';

/** Notes in a fresh copy what was not copied, and why. Throws if the folder for it is there already. */
export async function writeLeftOut(workspace: string, leftOut: readonly LeftOut[]): Promise<void> {
  await mkdir(path.join(workspace, OWN_FOLDER));
  await writeFile(path.join(workspace, OWN_FOLDER, FILE), JSON.stringify(leftOut));
}

/** Empty for a whole copy. Only to be asked before anybody has worked there. */
export async function readLeftOut(workspace: string): Promise<readonly LeftOut[]> {
  try {
    return JSON.parse(await readFile(path.join(workspace, OWN_FOLDER, FILE), 'utf8')) as LeftOut[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
