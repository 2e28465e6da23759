/**
 * Decides, path by path, what becomes of the changes from `base` to `theirs` on another side that may have moved on. Only paths that were
 * changed are looked at, so the cost follows the change. A change is taken where this side is as it was, merged where both changed
 * other lines of a text, and left alone where the two touch each other.
 */
import { depthOf, parentOf, type BytePath } from '../files/byte-path.js';
import { isProgram } from '../files/modes.js';
import { differences, isSame, type Difference, type Entry, type Listed } from '../objects/listing.js';
import type { ConflictReason, Outcome, Sides } from './outcome.js';
import type { Side } from './sides.js';

/** The lines of both sides, or a text with both versions marked. */
export interface MergedText {
  readonly blob: string;
  readonly isClean: boolean;
}

/** Null for what has no lines. */
export type MergeTexts = (sides: {
  base: string;
  ours: string;
  theirs: string;
}) => Promise<MergedText | null>;

/** What a merge is to do, and what it says of each file. */
export interface MergePlan {
  readonly outcomes: readonly Outcome[];
  /** From what is there now to what is wanted. */
  readonly changes: readonly Difference[];
  /** The old names of what was renamed: to be removed when all else is done, so that at no time a content has no name. */
  readonly lastly: readonly Difference[];
}

/** @param renames among the changes, from the new path to the old one. */
export async function planMerge(
  base: Listed,
  theirs: Listed,
  renames: ReadonlyMap<BytePath, BytePath>,
  side: Side,
  merge: MergeTexts,
): Promise<MergePlan> {
  const planning = new Planning(side, merge);
  const changes = differences(base.entries, theirs.entries).filter(isMore(foldersOf(theirs)));
  const moved = new Set(renames.values());
  const gone = changes.filter(({ path, after }) => after === null && !moved.has(path));
  // What goes makes room for what comes.
  for (const change of deepestFirst(gone)) await planning.change(change);
  for (const { path, before, after } of changes) {
    if (after === null) continue;
    const from = renames.get(path);
    if (from === undefined) await planning.change({ path, before, after });
    else await planning.rename(from, path, base.entries.get(from) ?? null, after);
  }
  return planning;
}

class Planning implements MergePlan {
  readonly outcomes: Outcome[] = [];
  readonly changes: Difference[] = [];
  readonly lastly: Difference[] = [];
  private readonly going = new Set<BytePath>();

  constructor(
    private readonly side: Side,
    private readonly merge: MergeTexts,
  ) {}

  async change({ path, before: base, after: theirs }: Difference): Promise<void> {
    const ours = this.look(path, { base, theirs });
    if (ours === 'blocked') return;
    const decided = await this.decide(path, path, { base, ours, theirs });
    if (decided === 'conflict') return;
    if (decided === null) this.going.add(path);
    await this.record(path, ours, decided, { base, ours, theirs }, null);
  }

  /** The file is looked for under both names: this side may have renamed it as well, or an earlier try was cut off. */
  async rename(from: BytePath, path: BytePath, base: Entry | null, theirs: Entry): Promise<void> {
    const old = this.look(from, { base, theirs });
    const now = this.look(path, { base, theirs });
    if (old === 'blocked' || now === 'blocked') return;
    if (old === null) {
      this.changes.push({ path: from, before: null, after: null });
      return this.change({ path, before: base, after: theirs });
    }
    const sides = { base, ours: old, theirs };
    const decided = await this.decide(from, path, sides);
    if (decided === 'conflict') return;
    if (now !== null && !isSame(now, decided)) {
      if (now.kind !== 'folder') await this.side.store(path);
      return this.conflict(path, 'both_added', { base: null, ours: now, theirs });
    }
    await this.record(path, now, decided, sides, from);
    this.lastly.push({ path: from, before: old, after: null });
  }

  /** What is to be there. */
  private async decide(at: BytePath, path: BytePath, sides: Sides): Promise<Entry | null | 'conflict'> {
    const { base, ours, theirs } = sides;
    if (hasSameContent(ours, theirs)) return withPerm(ours, sides);
    if (hasSameContent(ours, base)) return withPerm(theirs, sides);
    if (ours !== null && hasSameContent(theirs, base)) return withPerm(ours, sides);
    const why = reasonOf(sides);
    // Stored, so that it can be shown whatever becomes of the file.
    const stored = ours === null || ours.kind === 'folder' ? '' : await this.side.store(at);
    const isText = base?.kind === 'file' && ours?.kind === 'file' && theirs?.kind === 'file';
    const text = isText
      ? await this.merge({ base: base.blob ?? '', ours: stored, theirs: theirs.blob ?? '' })
      : null;
    if (text?.isClean && ours !== null) return withPerm({ ...ours, blob: text.blob }, sides);
    this.conflict(path, why, sides, text?.blob ?? null);
    return 'conflict';
  }

  /** `blocked` is recorded. */
  private look(path: BytePath, { base, theirs }: Omit<Sides, 'ours'>): Entry | 'blocked' | null {
    const seen = this.side.look(path);
    const sides = { base, ours: null, theirs };
    if (isProtected(path)) return (this.conflict(path, 'protected', sides), 'blocked');
    if (seen?.kind !== 'blocked') return seen;
    if (this.going.has(seen.by)) return null;
    // What is to go is gone, when there is something else in the place of its folder.
    if (theirs === null && seen.why === 'in_the_way' && seen.by !== path) return null;
    return (this.conflict(path, seen.why, sides), 'blocked');
  }

  private async record(
    path: BytePath,
    now: Entry | null,
    wanted: Entry | null,
    sides: Sides,
    from: BytePath | null,
  ): Promise<void> {
    const isThere = isSame(now, wanted);
    // With other bits, or under another name: it is written from the store.
    if (!isThere && wanted !== null && wanted.kind !== 'folder' && wanted.blob === sides.ours?.blob)
      await this.side.store(from ?? path);
    // What is gone already may have left its folder, when a crash came in between.
    if (!isThere || wanted === null) this.changes.push({ path, before: now, after: wanted });
    if (isThere && from === null) this.outcomes.push({ kind: 'there', path });
    else
      this.outcomes.push({
        kind: isSame(wanted, sides.theirs) ? 'taken' : 'merged',
        path,
        from,
        ...sides,
        wanted,
      });
  }

  private conflict(path: BytePath, why: ConflictReason, sides: Sides, marked: string | null = null): void {
    this.outcomes.push({ kind: 'conflict', path, why, ...sides, marked });
  }
}

function reasonOf({ base, ours, theirs }: Sides): ConflictReason {
  if (theirs === null) return 'gone_there';
  if (ours === null || ours.kind === 'folder') return base === null ? 'in_the_way' : 'gone_here';
  return base === null ? 'both_added' : 'both_changed';
}

function hasSameContent(one: Entry | null, other: Entry | null): boolean {
  return one === null || other === null ? one === other : one.kind === other.kind && one.blob === other.blob;
}

function withPerm(entry: Entry | null, sides: Sides): Entry | null {
  return entry === null ? null : { ...entry, perm: permOf(entry, sides) };
}

/** What one side left as it was, the other decides; where both changed it, they decide only whether it is a program. */
function permOf(entry: Entry, { base, ours, theirs }: Sides): number {
  if (ours?.kind !== entry.kind) return entry.perm;
  if (theirs?.kind !== entry.kind || base?.kind !== entry.kind || theirs.perm === base.perm) return ours.perm;
  if (ours.perm === base.perm) return theirs.perm;
  if (isProgram(theirs.perm) === isProgram(base.perm)) return ours.perm;
  // May be run by whoever may read it.
  return isProgram(theirs.perm) ? ours.perm | 0o100 | ((ours.perm >> 2) & 0o111) : ours.perm & ~0o111;
}

/** Whether a change says more than that a folder with files in it got other bits, or its first file, or lost one. */
function isMore(folders: ReadonlySet<BytePath>): (change: Difference) => boolean {
  return ({ path, before, after }) => {
    if (before !== null && before.kind !== 'folder') return true;
    if (after !== null) return after.kind !== 'folder' || before === null;
    return !folders.has(path);
  };
}

export function foldersOf({ entries }: Listed): ReadonlySet<BytePath> {
  const folders = new Set<BytePath>();
  for (const [path, { kind }] of entries) {
    if (kind === 'folder') folders.add(path);
    for (let above = parentOf(path); above !== '' && !folders.has(above); above = parentOf(above))
      folders.add(above);
  }
  return folders;
}

/** The files of a repository itself, under any spelling that a file system takes for it. */
function isProtected(path: BytePath): boolean {
  return path.split('/').some((name) => name.toLowerCase() === '.git');
}

function deepestFirst(changes: readonly Difference[]): readonly Difference[] {
  return [...changes].sort((a, b) => depthOf(b.path) - depthOf(a.path) || (a.path < b.path ? -1 : 1));
}
