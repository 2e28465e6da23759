/** What a checkpoint does not cover, said by kind: how many, how large, and the first of them by name. */
import { shownPath, type BytePath } from './byte-path.js';

export type LeftOutReason =
  /** An ignore rule names it, and it is not tracked. */
  | 'ignored'
  /** The workspace or the installation hides it from agents. */
  | 'hidden'
  /** Larger than one file may be. */
  | 'oversize'
  /** What makes a folder a repository of its own; the files beside it are covered. */
  | 'repository'
  /** Sockets, pipes and devices have no content of their own. */
  | 'special'
  | 'unreadable'
  /** It was being written while it was read: what was kept may be torn. */
  | 'changing';

export interface LeftOut {
  readonly reason: LeftOutReason;
  readonly count: number;
  /** The first ones, as people read them; folders end with `/`. */
  readonly paths: readonly string[];
}

const NAMED = 20;

export class LeftOutNotes {
  private readonly byReason = new Map<LeftOutReason, { count: number; paths: string[] }>();

  add(reason: LeftOutReason, path: BytePath, isFolder = false): void {
    const noted = this.byReason.get(reason) ?? { count: 0, paths: [] };
    noted.count += 1;
    if (noted.paths.length < NAMED) noted.paths.push(shownPath(path) + (isFolder ? '/' : ''));
    this.byReason.set(reason, noted);
  }

  get all(): readonly LeftOut[] {
    return [...this.byReason].map(([reason, noted]) => ({ reason, ...noted }));
  }
}
