/** How taking a checkpoint can end. What goes wrong with one is told, and the task goes on. */
import type { Diffstat } from './diff.js';
import type { LeftOut } from './files/left-out.js';
import { UnknownRules } from './files/scan.js';
import { GitFailed } from './git-program.js';
import { OverBudget } from './objects/capture.js';
import { OverQuota } from './packs/quota-packs.js';
import type { StoredPack } from '@bullpen/core';

export type TakeResult = Taken | Unchanged | Degraded;

export interface Taken {
  readonly kind: 'taken';
  readonly commit: string;
  /** What the workspace holds, as a tree of the store. */
  readonly tree: string;
  readonly parent: string | null;
  /** Since the parent; null when there is none to compare with. */
  readonly diffstat: Diffstat | null;
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
  readonly pack: StoredPack;
  readonly ms: number;
}

/** Nothing that is covered differs from the parent. */
export interface Unchanged {
  readonly kind: 'unchanged';
  readonly commit: string;
  readonly leftOut: readonly LeftOut[];
  readonly ms: number;
}

export type DegradedReason =
  | 'no_git'
  | 'git_failed'
  | 'over_time'
  | 'over_size'
  /** So much is stored already that there is to be no more. */
  | 'over_quota'
  | 'disk_full'
  /** A file or folder cannot be read or written: its disk, its permissions, or something else in its place. */
  | 'file_system'
  /** Ignore rules that nobody can read. */
  | 'unknown_rules';

export interface Degraded {
  readonly kind: 'degraded';
  readonly reason: DegradedReason;
  readonly message: string;
  readonly ms: number;
}

/** Null for what is none of the known ways to fail: that is to be thrown. */
export function degradedReason(error: unknown, isOverTime: boolean): DegradedReason | null {
  if (isOverTime) return 'over_time';
  if (error instanceof UnknownRules) return 'unknown_rules';
  if (error instanceof OverBudget) return 'over_size';
  if (error instanceof OverQuota) return 'over_quota';
  if (error instanceof GitFailed)
    return error.isMissing ? 'no_git' : error.isDiskFull ? 'disk_full' : 'git_failed';
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk_full';
  // Connections have system calls as well, and fail for other reasons: a store that is away may come back.
  return syscall !== undefined && ON_FILES.has(syscall) ? 'file_system' : null;
}

const ON_FILES = new Set(
  'open read write close mkdir rmdir unlink rm rename link symlink stat lstat fstat scandir readdir opendir readlink chmod chown fsync'.split(
    ' ',
  ),
);
