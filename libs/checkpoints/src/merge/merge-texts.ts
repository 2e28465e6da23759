/** Merges the lines of three contents of the store, with git's own program for three files. It knows no attributes and no drivers: what a workspace says about merging has no part in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GitFailed } from '../git-program.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import type { MergeTexts } from './plan-merge.js';

/** Past this, git's status counts no further: it means something else. */
const MOST_CONFLICTS = 127;
/** Larger ones are taken as a whole, or not at all. */
const MAX_BYTES = 50_000_000;
const LABELS = ['-L', 'here', '-L', 'before', '-L', 'incoming'];

export function mergeTextsIn(shadow: ShadowRepository): MergeTexts {
  return async ({ base, ours, theirs }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'merge-'));
    try {
      const files = [ours, base, theirs].map((id, at) => ({ id, file: path.join(folder, String(at)) }));
      for (const { id, file } of files) {
        if (Number(await shadow.git.line(['cat-file', '-s', id])) > MAX_BYTES) return null;
        await writeFile(file, await shadow.blob(id));
      }
      const merged = await mergeFiles(
        shadow,
        files.map(({ file }) => file),
      );
      if (merged === null) return null;
      const blob = await shadow.git.line(['hash-object', '-w', '--stdin'], { input: merged.text });
      return { blob, isClean: merged.isClean };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Null for what is no text. */
async function mergeFiles(
  { git }: ShadowRepository,
  files: readonly string[],
): Promise<{ text: Buffer; isClean: boolean } | null> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of git.stream(['merge-file', '-p', '--diff3', ...LABELS, ...files]))
      pieces.push(piece);
    return { text: Buffer.concat(pieces), isClean: true };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (/binary files/.test(error.said)) return null;
    if (error.status === null || error.status < 1 || error.status > MOST_CONFLICTS) throw error;
    return { text: Buffer.concat(pieces), isClean: false };
  }
}
