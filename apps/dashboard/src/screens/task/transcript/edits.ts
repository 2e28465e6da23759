/** What a call changes in a file, by its arguments. */
import type { ToolRow } from '@bullpen/client';
import { editPatch, filesOf, type FileChange } from '../../../ui/diff/patch.js';

/** Larger ones are shown as text, in characters. */
const MAX_TEXT = 200_000;
const known = new WeakMap<ToolRow, FileChange | null>();

/** The change of a call that edits or writes a file; null for all others. Of a file that is written anew only the new text is known. */
export function editOf(row: ToolRow): FileChange | null {
  const edit = known.get(row);
  if (edit !== undefined) return edit;
  const fresh = changeOf(row);
  known.set(row, fresh);
  return fresh;
}

function changeOf({ tool, arguments: args, preview, state }: ToolRow): FileChange | null {
  if (state !== 'done' || args === null || typeof args !== 'object' || Array.isArray(args)) return null;
  const { path, oldText, newText, content } = args;
  if (typeof path !== 'string') return null;
  if (tool === 'edit_file' && typeof oldText === 'string' && typeof newText === 'string')
    return oldText.length + newText.length > MAX_TEXT
      ? null
      : fileOf(editPatch(path, oldText, newText, lineIn(preview)));
  if (tool === 'write_file' && typeof content === 'string' && content.length <= MAX_TEXT)
    return fileOf(editPatch(path, '', content));
  return null;
}

/** The tool says where it edited: `Edited a.ts at line 12.` */
function lineIn(preview: string | null): number {
  return Number(/ at line (\d+)/.exec(preview ?? '')?.[1] ?? 1);
}

function fileOf(patch: string): FileChange | null {
  return filesOf(patch)?.[0] ?? null;
}
