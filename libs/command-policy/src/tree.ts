/** What lies below a folder, for programs that go through all of it: no secret, nothing hidden, no link that leads away. */
import type { LineState } from './line-state.js';
import { joinPath, mayHoldSecrets } from './paths.js';
import { finding, type Finding } from './rules.js';
import type { CommandContext, FileEntry, Span } from './types.js';

/** A file or folder below the start of a walk, or the start itself. */
export interface TreeEntry extends FileEntry {
  /** Absolute. */
  readonly path: string;
  /** From the start down, with `/`; empty for the start. */
  readonly relative: string;
}

/** Below more than these nobody looks. */
const MAX_ENTRIES = 20_000;

/** Not gone into: what lies there comes from a registry, or is git's own. */
const LEFT_OUT = new Set(['.git', 'node_modules']);

/** All that is below a path, links not followed; null when it cannot be seen. */
export function treeOf(start: string, context: CommandContext): readonly TreeEntry[] | null {
  const name = start.replace(/\/+$/, '').replace(/^.*\//, '');
  const first = { path: start, relative: '', name, kind: 'folder' as const, place: context.placeOf(start) };
  const view = context.look(start);
  if (view === 'missing') return [];
  if (view === 'file') return [{ ...first, kind: 'file' }];
  const entries: TreeEntry[] = [first];
  const pending: TreeEntry[] = [first];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const inside = context.look(folder.path);
    if (typeof inside === 'string') return null;
    for (const each of inside) {
      const path = joinPath(folder.path, each.name);
      const relative = folder.relative === '' ? each.name : `${folder.relative}/${each.name}`;
      const entry = { ...each, path, relative };
      entries.push(entry);
      if (each.kind === 'folder' && !LEFT_OUT.has(each.name)) pending.push(entry);
      // Of all that is git's own this may hold a password.
      if (each.name === '.git')
        entries.push({
          ...entry,
          name: 'config',
          kind: 'file',
          path: `${path}/config`,
          relative: `${relative}/config`,
        });
    }
    if (entries.length > MAX_ENTRIES) return null;
  }
  return entries;
}

export interface TreeUse {
  /** Whether links on the way are followed. */
  readonly followsLinks: boolean;
  /** Whether the program opens the entry. */
  readonly selects: (entry: TreeEntry) => boolean;
}

/** What speaks against a program that reads all that is below `value`, in each folder where the line may be. */
export function judgeTree(value: string, use: TreeUse, span: Span, state: LineState): Finding | null {
  if (!state.context.seesFiles) return null;
  for (const folder of state.folders) {
    const entries = treeOf(joinPath(folder, value), state.context);
    if (entries === null)
      return finding('path.unseen', `There is more below ${value} than can be checked.`, span);
    for (const entry of entries) {
      const found = use.selects(entry) ? judgeEntry(entry, use, span, state) : null;
      if (found !== null) return found;
    }
  }
  return null;
}

function judgeEntry(entry: TreeEntry, use: TreeUse, span: Span, state: LineState): Finding | null {
  const { relative, place, kind, path } = entry;
  if (relative === '' || kind === 'folder' || (kind === 'link' && !use.followsLinks)) return null;
  if (place === 'hidden')
    return finding('path.hidden', `${relative} below it is hidden from agents; leave it out.`, span);
  if (mayHoldSecrets(path, state))
    return finding('dangerous.credentials', `${relative} below it may hold secrets.`, span);
  if (place === 'outside')
    return finding('path.outside', `The link ${relative} below it leads out of the workspace.`, span);
  return null;
}
