/**
 * Finds what a box must hide or keep in a workspace. Looked at before and after each command, so it has to be cheap: a folder is read
 * again only when its change time says that names in it came or went, which no program can set back.
 */
import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  boxRole,
  isLookedInto,
  mayHoldException,
  type BoxRole,
  type BoxRules,
  type EntryKind,
} from './box-rules.js';
import { byteString, onDisk, readable } from './byte-path.js';
import { HiddenPaths, HIDING_FILE } from '../hidden-paths.js';
import type { PolicyRules } from '@bullpen/contracts';

/** Something that a box does not treat like any other file. */
export interface Found {
  /** Relative to the workspace, as a byte string. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly role: BoxRole;
}

interface Folder {
  readonly inode: number;
  readonly changedMs: number;
  readonly found: readonly Found[];
  /** Paths of folders in it that are looked into. */
  readonly folders: readonly string[];
}

/** A folder that changed so shortly before it was read may change again without its time showing it. */
const TOO_FRESH_MS = 100;
/** Other tasks get their turn after so long. */
const SLICE_MS = 8;

export class ProtectedTree {
  private readonly known = new Map<string, Folder>();
  private readonly rootBytes: string;

  private constructor(
    root: string,
    private readonly rules: BoxRules,
    readonly key: string,
  ) {
    this.rootBytes = byteString(root);
  }

  /** The tree of a workspace; `before` when nothing that decides about names has changed since. */
  static of(root: string, files: PolicyRules['files'], before: ProtectedTree | undefined): ProtectedTree {
    const hidden = HiddenPaths.of(root);
    const list = lstatSync(`${root}/${HIDING_FILE}`, { throwIfNoEntry: false });
    const key = JSON.stringify([files, list && [list.ino, list.ctimeMs, list.size]]);
    if (before?.key === key) return before;
    return new ProtectedTree(root, { hidden, hidesByList: list !== undefined, files }, key);
  }

  /** All of them, each folder before what is in it. What can't be read is hidden. */
  async find(): Promise<readonly Found[]> {
    const found: Found[] = [];
    const seen = new Set<string>();
    const pending = [''];
    let sliceEnds = performance.now() + SLICE_MS;
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      seen.add(path);
      const folder = this.look(path);
      if (folder === 'unreadable') found.push({ path, kind: 'folder', role: 'hidden' });
      else if (folder !== 'gone') {
        found.push(...folder.found);
        pending.push(...folder.folders);
      }
      if (performance.now() < sliceEnds) continue;
      await nextTurn();
      sliceEnds = performance.now() + SLICE_MS;
    }
    for (const path of this.known.keys()) if (!seen.has(path)) this.known.delete(path);
    return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  private look(path: string): Folder | 'gone' | 'unreadable' {
    const place = onDisk(path === '' ? this.rootBytes : `${this.rootBytes}/${path}`);
    try {
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats === undefined || !stats.isDirectory()) return 'gone';
      const before = this.known.get(path);
      if (before?.inode === stats.ino && before.changedMs === stats.ctimeMs) return before;
      const now = this.read(path, place, stats);
      // Read at a time at which the next change would leave another mark.
      if (Date.now() - stats.ctimeMs > TOO_FRESH_MS) this.known.set(path, now);
      else this.known.delete(path);
      return now;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
      if (path === '') throw error;
      return 'unreadable';
    }
  }

  private read(path: string, place: string | Buffer, stats: Stats): Folder {
    const above = path === '' ? [] : readable(path).split('/');
    const found: Found[] = [];
    const folders: string[] = [];
    for (const entry of readdirSync(place, { withFileTypes: true, encoding: 'latin1' })) {
      const kind = kindOf(entry);
      const own = path === '' ? entry.name : `${path}/${entry.name}`;
      const names = [...above, readable(entry.name)];
      const role = boxRole(names, kind, this.rules);
      if (role !== null && this.isWhole(names, kind, role)) found.push({ path: own, kind, role });
      else if (kind === 'socket') found.push({ path: own, kind, role: 'hidden' });
      if (kind === 'folder' && isLookedInto(names, role, this.rules)) folders.push(own);
    }
    return { inode: stats.ino, changedMs: stats.ctimeMs, found, folders };
  }

  /** A folder in which something is excepted is dealt with part by part. */
  private isWhole(names: readonly string[], kind: EntryKind, role: BoxRole): boolean {
    return kind !== 'folder' || role === 'repository' || !mayHoldException(names, this.rules);
  }
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isSocket() ? 'socket' : 'file';
}
