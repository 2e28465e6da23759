/**
 * Decides what a restore changes, from listings alone. By default it takes back what the task's own steps did, the last one first; what came from elsewhere
 * since, by hand or from another task, stays, also in the same file where the two do not touch.
 */
import { parentOf, type BytePath } from '../files/byte-path.js';
import {
  differences,
  isSame,
  type Difference,
  type Entry,
  type Listed,
  type Listing,
} from '../objects/listing.js';

/** One step of the task: the states before and after it. */
export interface OwnStep {
  readonly before: Listed;
  readonly after: Listed;
}

/** The content of a file with one side's change taken back; null where the sides touch each other. */
export type MergeBlobs = (sides: { base: string; ours: string; theirs: string }) => Promise<string | null>;

export interface RestorePlan {
  /** From now to what is wanted. */
  readonly changes: readonly Difference[];
  readonly keptFolders: ReadonlySet<BytePath>;
  readonly folderPerm: number;
  /** The task changed them, and somebody else did since, too: they stay as they are. */
  readonly conflicts: readonly BytePath[];
  /** What else differs from the target: not the task's doing. */
  readonly notOurs: readonly Difference[];
}

/**
 * @param own the task's steps since the target, oldest first; null: everything goes back, whoever changed it.
 * @param spared what the target may lack without its having been away.
 * @param heldBack which of the paths that would be changed are not to be: they stay, and are conflicts.
 */
export async function planRestore(
  now: Listed,
  target: Listed,
  own: readonly OwnStep[] | null,
  merge: MergeBlobs,
  spared: (path: BytePath) => boolean = () => false,
  heldBack: (paths: Iterable<BytePath>) => ReadonlySet<BytePath> = () => new Set(),
): Promise<RestorePlan> {
  const undone = own === null ? wholly(now, target) : await steps(now, own, merge);
  for (const [path, entry] of now.entries)
    if (!undone.wanted.has(path) && spared(path)) undone.wanted.set(path, entry);
  const held = heldBack(differences(now.entries, undone.wanted).map(({ path }) => path));
  for (const path of held) put(undone.wanted, path, now.entries.get(path) ?? null);
  const { wanted, crowded } = withoutCollisions(now.entries, undone.wanted);
  const changes = differences(now.entries, wanted);
  const changed = new Set(changes.map(({ path }) => path));
  const conflicts = [...new Set([...undone.conflicts, ...held, ...crowded])].sort();
  const settled = new Set([...changed, ...conflicts]);
  return {
    changes,
    keptFolders: foldersOf(wanted),
    folderPerm: target.folderPerm,
    conflicts,
    notOurs: differences(target.entries, now.entries).filter(({ path }) => !settled.has(path)),
  };
}

interface Undone {
  readonly wanted: Map<BytePath, Entry>;
  readonly conflicts: readonly BytePath[];
}

function wholly(now: Listed, target: Listed): Undone {
  const wanted = new Map(now.entries);
  for (const { path, after } of differences(now.entries, target.entries)) put(wanted, path, after);
  return { wanted, conflicts: [] };
}

async function steps(now: Listed, own: readonly OwnStep[], merge: MergeBlobs): Promise<Undone> {
  const wanted = new Map(now.entries);
  const conflicts = new Set<BytePath>();
  for (const { before, after } of [...own].reverse())
    for (const change of differences(before.entries, after.entries)) {
      // Taking back an older step over one that could not be taken back would mix the two.
      if (conflicts.has(change.path)) continue;
      const current = wanted.get(change.path) ?? null;
      const undone = await takenBack(change, current, merge);
      if (undone === 'conflict') conflicts.add(change.path);
      else put(wanted, change.path, undone);
    }
  for (const path of conflicts) put(wanted, path, now.entries.get(path) ?? null);
  return { wanted, conflicts: [...conflicts] };
}

async function takenBack(
  { before, after }: Difference,
  current: Entry | null,
  merge: MergeBlobs,
): Promise<Entry | null | 'conflict'> {
  if (isSame(current, after)) return before;
  if (isSame(current, before)) return current;
  // A folder that lost or gained its last file is listed or not without anybody having touched it.
  if (isFolderOrNothing(current) && isFolderOrNothing(before) && isFolderOrNothing(after)) return current;
  if (current?.kind !== 'file' || before?.kind !== 'file' || after?.kind !== 'file') return 'conflict';
  const perm = current.perm === after.perm ? before.perm : current.perm;
  const sides = { base: after.blob ?? '', ours: current.blob ?? '', theirs: before.blob ?? '' };
  if (sides.ours === sides.base) return { ...before, perm };
  if (sides.theirs === sides.base) return { ...current, perm };
  const blob = await merge(sides);
  return blob === null ? 'conflict' : { kind: 'file', blob, perm };
}

/** A file and something below it cannot both be: then what is there now stays. */
function withoutCollisions(
  now: Listing,
  wanted: Map<BytePath, Entry>,
): { wanted: Map<BytePath, Entry>; crowded: readonly BytePath[] } {
  const folders = foldersOf(wanted);
  const files = [...wanted].filter(([path, { kind }]) => kind !== 'folder' && folders.has(path));
  const crowded: BytePath[] = [];
  for (const [file] of files)
    for (const path of new Set([...wanted.keys(), ...now.keys()])) {
      if (path !== file && !path.startsWith(`${file}/`)) continue;
      if (isSame(wanted.get(path) ?? null, now.get(path) ?? null)) continue;
      crowded.push(path);
      put(wanted, path, now.get(path) ?? null);
    }
  return { wanted, crowded };
}

function foldersOf(entries: Listing): Set<BytePath> {
  const folders = new Set<BytePath>();
  for (const [path, { kind }] of entries) {
    if (kind === 'folder') folders.add(path);
    for (let above = parentOf(path); above !== '' && !folders.has(above); above = parentOf(above))
      folders.add(above);
  }
  return folders;
}

function isFolderOrNothing(entry: Entry | null): boolean {
  return entry === null || entry.kind === 'folder';
}

function put(entries: Map<BytePath, Entry>, path: BytePath, entry: Entry | null): void {
  if (entry === null) entries.delete(path);
  else entries.set(path, entry);
}
