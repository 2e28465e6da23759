/**
 * Makes a workspace what a plan says, path by path, without following a link. Each path is looked at right before it is changed: one that is no longer what
 * the plan expects is left alone and named, and one that is as wanted already is passed over. So the same plan may be carried out
 * again, by another process, from wherever the first one died.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { depthOf, nameOf, parentOf, shownPath, type BytePath } from '../files/byte-path.js';
import { HeldFolders, type HeldFolder } from '../files/held-folder.js';
import { linkTarget, ReadFile } from '../files/read-file.js';
import { isGone, OWN_TEMP_PREFIX } from '../files/scan.js';
import { blobIdOf, blobIdOfBytes, blobs, type Pieces } from '../objects/blobs.js';
import type { Difference, Entry } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { databasesIn } from './database-logs.js';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Plan {
  /** Names what is half written, so that whoever repeats the plan takes that away. */
  readonly id: string;
  readonly root: string;
  /** From what is there now to what is wanted. */
  readonly changes: readonly Difference[];
  /** Folders that stay although nothing of ours is left in them. */
  readonly keptFolders: ReadonlySet<BytePath>;
  /** The bits of folders that have to be made. */
  readonly folderPerm: number;
  /** Of what is made; null: whoever this process is. */
  readonly owner: Owner | null;
  /** Whether each file is to survive a power cut before the next one begins. */
  readonly durable: boolean;
}

export interface Left {
  readonly path: string;
  readonly why: 'changed_meanwhile' | 'in_the_way' | 'closed';
}

export interface Applied {
  readonly written: number;
  readonly removed: number;
  readonly left: readonly Left[];
}

/** Throws the signal's reason, and what no single path is to blame for, like a full disk. */
export async function applyPlan(shadow: ShadowRepository, plan: Plan, signal: AbortSignal): Promise<Applied> {
  const applying = new Applying(plan);
  try {
    applying.leaveBusyDatabases();
    applying.removeFiles();
    applying.removeFolders();
    applying.makeFolders();
    await applying.write(shadow, signal);
    applying.closeFolders();
    return applying.outcome;
  } finally {
    applying.close();
  }
}

class Applying {
  private readonly folders: HeldFolders;
  private readonly made: BytePath[] = [];
  private readonly left: Left[] = [];
  private readonly temp: BytePath;
  private changes: readonly Difference[];
  /** Looked at together, and no more one by one. */
  private readonly settled = new Set<BytePath>();
  private written = 0;
  private removed = 0;

  constructor(private readonly plan: Plan) {
    this.folders = new HeldFolders(plan.root);
    this.temp = `${OWN_TEMP_PREFIX}${plan.id}`;
    this.changes = plan.changes;
  }

  get outcome(): Applied {
    return { written: this.written, removed: this.removed, left: this.left };
  }

  close(): void {
    this.folders.close();
  }

  /** A process that writes one changes its log, which would then be newer than the file. */
  leaveBusyDatabases(): void {
    const left = new Set<BytePath>();
    for (const group of databasesIn(this.changes)) {
      const isBusy = group.some((change) => !this.isAsPlanned(change));
      for (const { path } of group) {
        (isBusy ? left : this.settled).add(path);
        if (isBusy) this.leave(path, 'changed_meanwhile');
      }
    }
    if (left.size > 0) this.changes = this.changes.filter(({ path }) => !left.has(path));
  }

  private isAsPlanned({ path, before, after }: Difference): boolean {
    try {
      const now = entryAt(this.folders.at(parentOf(path)), nameOf(path));
      return [before, after].some((each) => (now === null ? each === null : hasSameContent(now, each)));
    } catch (error) {
      return isGone(error) && (before === null || after === null);
    }
  }

  /** Also those that a folder is to take the place of. */
  removeFiles(): void {
    const gone = this.changes.filter(({ before, after }) => hasContent(before) && !hasContent(after));
    for (const { path, before } of deepestFirst(gone)) {
      this.attemptRemoval(path, (folder, name) => {
        const now = entryAt(folder, name);
        if (now === null || now.kind === 'folder') return;
        if (!this.settled.has(path) && !hasSameContent(now, before))
          return this.leave(path, 'changed_meanwhile');
        unlinkSync(folder.at(name));
        this.removed += 1;
      });
    }
  }

  /** Only empty ones: what no checkpoint covers stays, and its folder with it. */
  removeFolders(): void {
    const stays = this.plan.keptFolders;
    const empty = new Set<BytePath>();
    for (const { path, before, after } of this.changes) {
      if (before?.kind === 'folder' && after?.kind !== 'folder' && !stays.has(path)) empty.add(path);
      if (after !== null) continue;
      for (let above = parentOf(path); above !== '' && !stays.has(above); above = parentOf(above))
        empty.add(above);
    }
    for (const { path } of deepestFirst([...empty].map((each) => ({ path: each }))))
      this.attemptRemoval(path, (folder, name) => removeIfEmpty(folder, name));
    this.folders.forget();
  }

  makeFolders(): void {
    const { folderPerm } = this.plan;
    const needed = new Map<BytePath, number>();
    for (const { path, after } of this.changes) {
      if (after === null) continue;
      if (after.kind === 'folder') needed.set(path, after.perm);
      for (let above = parentOf(path); above !== ''; above = parentOf(above))
        if (!needed.has(above)) needed.set(above, folderPerm);
    }
    for (const [path, perm] of [...needed].sort(([a], [b]) => depthOf(a) - depthOf(b)))
      this.attempt(path, (folder, name) => {
        const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
        if (found?.isDirectory()) return;
        if (found !== undefined) return this.leave(path, 'in_the_way');
        this.makeFolder(folder, name, perm);
        this.made.push(path);
      });
  }

  /** It appears with its bits and its owner: a try after a crash could not tell it from one of the user's. */
  private makeFolder(folder: HeldFolder, name: BytePath, perm: number): void {
    const place = folder.at(`${this.temp}-folder`);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, 0o700);
    if (this.plan.owner) lchownSync(place, this.plan.owner.uid, this.plan.owner.gid);
    // To be filled; what does not fit is closed at the end.
    chmodSync(place, perm | 0o700);
    renameSync(place, folder.at(name));
  }

  async write(shadow: ShadowRepository, signal: AbortSignal): Promise<void> {
    const wanted = this.changes.filter(({ after }) => hasContent(after));
    const contents = blobs(
      shadow,
      wanted.map(({ after }) => after?.blob ?? ''),
      signal,
    );
    let at = 0;
    for await (const content of contents) {
      const change = wanted[at] as Difference;
      at += 1;
      await this.attemptWrite(change, content);
    }
  }

  private async attemptWrite({ path, before, after }: Difference, content: Pieces): Promise<void> {
    const bytes: Buffer[] = [];
    // Small files need no second look at their folder in between.
    for await (const piece of content) bytes.push(piece);
    this.attempt(path, (folder, name) => {
      rmSync(folder.at(this.temp), { force: true });
      const now = entryAt(folder, name);
      if (isAsWanted(now, after)) return;
      if (now?.kind === 'folder') return this.leave(path, 'in_the_way');
      if (
        now !== null &&
        !this.settled.has(path) &&
        !hasSameContent(now, before) &&
        !hasSameContent(now, after)
      )
        return this.leave(path, 'changed_meanwhile');
      this.replace(folder, name, after as Entry, bytes);
    });
  }

  private replace(folder: HeldFolder, name: BytePath, wanted: Entry, bytes: readonly Buffer[]): void {
    const place = folder.at(this.temp);
    try {
      if (wanted.kind === 'link') {
        symlinkSync(Buffer.concat(bytes), place);
        if (this.plan.owner) lchownSync(place, this.plan.owner.uid, this.plan.owner.gid);
      } else this.writeFile(place, wanted.perm, bytes);
      renameSync(place, folder.at(name));
      this.written += 1;
    } finally {
      rmSync(place, { force: true });
    }
  }

  private writeFile(place: Buffer, perm: number, bytes: readonly Buffer[]): void {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for (const piece of bytes) writeWhole(file, piece);
      // The owner first: a change of it takes set-id bits away.
      if (this.plan.owner) fchownSync(file, this.plan.owner.uid, this.plan.owner.gid);
      fchmodSync(file, perm);
      if (this.plan.durable) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Last and from the inside out: a folder without write permission could not be filled. */
  closeFolders(): void {
    const perms = new Map(this.made.map((path) => [path, this.plan.folderPerm]));
    for (const { path, before, after } of this.changes) {
      if (after?.kind === 'folder') perms.set(path, after.perm);
      // No longer listed, and still there: its bits are the usual ones again.
      if (before?.kind === 'folder' && after === null && this.plan.keptFolders.has(path))
        perms.set(path, this.plan.folderPerm);
    }
    for (const { path } of deepestFirst([...perms.keys()].map((each) => ({ path: each })))) {
      try {
        // As the descriptor of what was opened: the name may be a link by now.
        chmodSync(this.folders.at(path).path, perms.get(path) ?? this.plan.folderPerm);
      } catch (error) {
        this.explain(path, error);
      }
    }
  }

  private attempt(
    path: BytePath,
    use: (folder: HeldFolder, name: BytePath) => void,
    mayBeGone = false,
  ): void {
    try {
      use(this.folders.at(parentOf(path)), nameOf(path));
    } catch (error) {
      if (!(mayBeGone && isGone(error))) this.explain(path, error);
    }
  }

  /** Gone with its folder is gone. */
  private attemptRemoval(path: BytePath, use: (folder: HeldFolder, name: BytePath) => void): void {
    this.attempt(path, (folder, name) => use(folder, name), true);
  }

  /** What concerns one path leaves the others alone. */
  private explain(path: BytePath, error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    if (isGone(error)) return this.leave(path, 'changed_meanwhile');
    if (code === 'EEXIST' || code === 'EISDIR' || code === 'ENOTEMPTY') return this.leave(path, 'in_the_way');
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return this.leave(path, 'closed');
    throw error;
  }

  private leave(path: BytePath, why: Left['why']): void {
    this.left.push({ path: shownPath(path), why });
  }
}

function hasContent(entry: Entry | null): boolean {
  return entry !== null && entry.kind !== 'folder';
}

/** What is there: a content is named as the store would name it. Null when there is nothing. */
export function entryAt(folder: HeldFolder, name: BytePath): Entry | null {
  const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return { kind: 'folder', blob: null, perm: stats.mode & 0o7777 };
  if (stats.isSymbolicLink())
    return { kind: 'link', blob: blobIdOfBytes(linkTarget(folder, name)), perm: 0o777 };
  const file = ReadFile.open(folder, name);
  try {
    return { kind: 'file', blob: blobIdOf(file), perm: stats.mode & 0o7777 };
  } finally {
    file.close();
  }
}

function hasSameContent(one: Entry, other: Entry | null): boolean {
  return one.kind === other?.kind && one.blob === other.blob;
}

function isAsWanted(now: Entry | null, wanted: Entry | null): boolean {
  return now !== null && hasSameContent(now, wanted) && now.perm === wanted?.perm;
}

function removeIfEmpty(folder: HeldFolder, name: BytePath): void {
  try {
    rmdirSync(folder.at(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && !isGone(error)) throw error;
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function deepestFirst<T extends { readonly path: BytePath }>(some: readonly T[]): readonly T[] {
  return [...some].sort((a, b) => depthOf(b.path) - depthOf(a.path) || (a.path < b.path ? -1 : 1));
}
