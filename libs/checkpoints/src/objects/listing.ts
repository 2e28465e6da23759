/** All that a checkpoint holds, path by path, and what differs between two. */
import type { BytePath } from '../files/byte-path.js';
import { NO_MODES, permOf, readModes, type Modes } from '../files/modes.js';
import { EMPTY_TREE, type ShadowRepository } from './shadow-repository.js';

export interface Entry {
  readonly kind: 'file' | 'link' | 'folder';
  /** Of the content, or of a link's target; null for a folder. */
  readonly blob: string | null;
  readonly perm: number;
}

/** Files, links, and folders that no file implies or whose bits are not the usual ones. */
export type Listing = ReadonlyMap<BytePath, Entry>;

export interface Listed {
  readonly entries: Listing;
  /** The bits of folders that are not listed. */
  readonly folderPerm: number;
}

/** Throws when the store has no such checkpoint. */
export async function listingOf(shadow: ShadowRepository, commit: string): Promise<Listed> {
  const trees = await shadow.trees(commit);
  if (trees === null) throw new Error(`there is no checkpoint ${commit} here`);
  return treeListing(shadow, trees.files, await modesAt(shadow, trees.modes));
}

export async function treeListing(shadow: ShadowRepository, files: string, modes: Modes): Promise<Listed> {
  const entries = new Map<BytePath, Entry>();
  for (const [path, perm] of modes.folders) entries.set(path, { kind: 'folder', blob: null, perm });
  const text =
    files === EMPTY_TREE ? '' : (await shadow.git.run(['ls-tree', '-r', '-z', files])).toString('latin1');
  for (const line of text.split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const path = line.slice(tab + 1);
    entries.set(path, entryOf(line.slice(0, 6), line.slice(12, tab), path, modes));
  }
  return { entries, folderPerm: modes.usual.folder };
}

/** In order of paths. */
export function differences(from: Listing, to: Listing): readonly Difference[] {
  const found: Difference[] = [];
  for (const [path, before] of from) {
    const after = to.get(path) ?? null;
    if (!isSame(before, after)) found.push({ path, before, after });
  }
  for (const [path, after] of to) if (!from.has(path)) found.push({ path, before: null, after });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export interface Difference {
  readonly path: BytePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

export function isSame(one: Entry | null, other: Entry | null): boolean {
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.blob === other.blob && one.perm === other.perm;
}

async function modesAt(shadow: ShadowRepository, blob: string | null): Promise<Modes> {
  return blob === null ? NO_MODES : readModes(await shadow.blob(blob));
}

function entryOf(gitMode: string, blob: string, path: BytePath, modes: Modes): Entry {
  if (gitMode === '120000') return { kind: 'link', blob, perm: 0o777 };
  return { kind: 'file', blob, perm: permOf(modes, path, gitMode === '100755') };
}
