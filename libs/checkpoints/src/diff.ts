/** What differs between two states, for people: which files, how, and on request the lines. */
import { shownPath, type BytePath } from './files/byte-path.js';
import type { ShadowRepository } from './objects/shadow-repository.js';

export type FileStatus = 'added' | 'changed' | 'deleted' | 'renamed' | 'mode';

export interface ChangedFile {
  readonly path: string;
  readonly status: FileStatus;
  /** Where a renamed file was. */
  readonly from?: string;
  /** Null for what is no text. */
  readonly insertions: number | null;
  readonly deletions: number | null;
}

export interface Diffstat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** The first ones, in order of paths. */
  readonly list: readonly ChangedFile[];
}

const LISTED = 200;
/** With more new files than this nobody looks for renames: each is compared with each. */
const RENAMES = '400';
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '-M', `-l${RENAMES}`];

/** @param a @param b trees of files. */
export async function diffstat(
  shadow: ShadowRepository,
  a: string,
  b: string,
  signal: AbortSignal,
  limit = LISTED,
): Promise<Diffstat> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--numstat', ...PLAIN, a, b];
  const fields = (await shadow.git.run(args, { signal })).toString('latin1').split('\0');
  const changed = readChanges(fields);
  const sum = (of: 'insertions' | 'deletions') => changed.reduce((total, file) => total + (file[of] ?? 0), 0);
  return {
    files: changed.length,
    insertions: sum('insertions'),
    deletions: sum('deletions'),
    list: changed.slice(0, limit),
  };
}

/** The unified patch of one file, or of all; piece by piece, because a patch may be large. Apply it with `git apply`: binary content is in it. */
export function patch(
  shadow: ShadowRepository,
  a: string,
  b: string,
  signal: AbortSignal,
  paths: readonly string[] = [],
): AsyncGenerator<Buffer> {
  const only = paths.map((path) => `:(literal)${path}`);
  const args = ['diff-tree', '-r', '-p', '--binary', '--full-index', ...PLAIN, a, b, '--', ...only];
  return shadow.git.stream(args, { signal });
}

interface Raw {
  readonly status: FileStatus;
  readonly path: BytePath;
  readonly from?: BytePath;
}

/** Raw lines come first, then the counts, both in the same order. */
function readChanges(fields: readonly string[]): readonly ChangedFile[] {
  const raws: Raw[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':')) {
    const [fromMode = '', toMode, fromBlob, toBlob, letter = ''] = (fields[at] as string).split(' ');
    const isRename = /^[RC]/.test(letter);
    const status = statusOf(letter, fromBlob === toBlob && fromMode.slice(1) !== toMode);
    const first = fields[at + 1] ?? '';
    raws.push(isRename ? { status, path: fields[at + 2] ?? '', from: first } : { status, path: first });
    at += isRename ? 3 : 2;
  }
  return raws.map((raw) => {
    const [insertions, deletions, path = ''] = (fields[at] ?? '').split('\t');
    // Of a rename the two names follow by themselves.
    at += path === '' ? 3 : 1;
    return {
      path: shownPath(raw.path),
      status: raw.status,
      ...(raw.from !== undefined && { from: shownPath(raw.from) }),
      insertions: countOf(insertions),
      deletions: countOf(deletions),
    };
  });
}

function statusOf(letter: string, isOnlyMode: boolean): FileStatus {
  switch (letter[0]) {
    case 'A':
      return 'added';
    case 'D':
      return 'deleted';
    case 'R':
    case 'C':
      return 'renamed';
    default:
      return isOnlyMode ? 'mode' : 'changed';
  }
}

function countOf(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}
