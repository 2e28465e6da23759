/** Patches as data: what a diff shows, from the text of one or from an edit. */
import { parseDiff, type FileData } from 'react-diff-view';

export interface FileChange {
  readonly path: string;
  /** Where it was, if it was renamed. */
  readonly from: string | null;
  readonly type: FileData['type'];
  readonly hunks: FileData['hunks'];
  readonly insertions: number;
  readonly deletions: number;
  readonly lines: number;
}

/** The files of a patch; null when the text is none. */
export function filesOf(patch: string): FileChange[] | null {
  // Patches of a single file have no such line, and the parser knows files by it.
  const text = patch.startsWith('diff --git') ? patch : `diff --git a/ b/\n${patch}`;
  try {
    const files = parseDiff(text).map(changeOf);
    return files.length === 0 ? null : files;
  } catch {
    return null;
  }
}

function changeOf({ oldPath, newPath, type, hunks }: FileData): FileChange {
  const changes = hunks.flatMap((hunk) => hunk.changes);
  const isNew = oldPath === '/dev/null';
  const isGone = newPath === '/dev/null';
  return {
    path: isGone ? oldPath : newPath,
    from: oldPath === newPath || isNew || isGone ? null : oldPath,
    type: isNew ? 'add' : isGone ? 'delete' : type,
    hunks,
    insertions: changes.filter((change) => change.type === 'insert').length,
    deletions: changes.filter((change) => change.type === 'delete').length,
    lines: changes.length,
  };
}

/** The patch of an edit that replaces one text by another; `line` is where the old one begins in its file. */
export function editPatch(path: string, before: string, after: string, line = 1): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const same = commonStart(old, fresh);
  const end = commonStart(old.slice(same).reverse(), fresh.slice(same).reverse());
  const body = [
    ...old.slice(0, same).map((text) => ` ${text}`),
    ...old.slice(same, old.length - end).map((text) => `-${text}`),
    ...fresh.slice(same, fresh.length - end).map((text) => `+${text}`),
    ...old.slice(old.length - end).map((text) => ` ${text}`),
  ];
  const from = before === '' ? '/dev/null' : `a/${path}`;
  const range = (lines: readonly string[]) => `${lines.length === 0 ? 0 : line},${lines.length}`;
  return `--- ${from}\n+++ b/${path}\n@@ -${range(old)} +${range(fresh)} @@\n${body.join('\n')}\n`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((text, index) => text !== b[index]);
  return different < 0 ? a.length : different;
}
