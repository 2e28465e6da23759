/** Merges the lines of three contents of the store; nothing of a workspace takes part. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GitFailed } from '../git-program.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import type { MergeBlobs } from './plan-restore.js';

/** Past this, git's status counts no further: it means something else. */
const MOST_CONFLICTS = 127;

export function mergeBlobsIn(shadow: ShadowRepository): MergeBlobs {
  return async ({ base, ours, theirs }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'merge-'));
    try {
      const files = [ours, base, theirs].map((id, at) => ({ id, file: path.join(folder, String(at)) }));
      for (const { id, file } of files) await writeFile(file, await shadow.blob(id));
      const merged = await shadow.git.run(['merge-file', '-p', ...files.map(({ file }) => file)]);
      return await shadow.git.line(['hash-object', '-w', '--stdin'], { input: merged });
    } catch (error) {
      if (!(error instanceof GitFailed) || !isConflict(error)) throw error;
      return null;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Or a content that is no text. */
function isConflict({ status, said }: GitFailed): boolean {
  return status !== null && ((status > 0 && status <= MOST_CONFLICTS) || /binary files/i.test(said));
}
