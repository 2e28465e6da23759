/** Which changed files a person has looked at, as they were then: a file that changed since is unread again. Pure. */
import type { FileChange } from '../../../ui/diff/patch.js';

/** By path, what was looked at. */
export type Viewed = Readonly<Record<string, string>>;

/** More tasks are not remembered; the one that was not looked at for longest goes first. */
const MOST_TASKS = 50;

/** The same as long as the change is the same. */
function digestOf({ hunks, type }: FileChange): string {
  let hash = 0x811c9dc5;
  const take = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  };
  for (const hunk of hunks) {
    take(hunk.content);
    for (const change of hunk.changes) take(`${change.type} ${change.content}\n`);
  }
  return `${type} ${(hash >>> 0).toString(36)}`;
}

export function isViewed(viewed: Viewed, file: FileChange): boolean {
  return viewed[file.path] === digestOf(file);
}

export function toggled(viewed: Viewed, file: FileChange): Viewed {
  const { [file.path]: _before, ...others } = viewed;
  return isViewed(viewed, file) ? others : { ...others, [file.path]: digestOf(file) };
}

/** Of all tasks, as they are remembered. */
export function viewedIn(text: string | null, taskId: string): Viewed {
  return allIn(text).find(([id]) => id === taskId)?.[1] ?? {};
}

export function withViewed(text: string | null, taskId: string, viewed: Viewed): string {
  const others = allIn(text).filter(([id]) => id !== taskId);
  return JSON.stringify([[taskId, viewed], ...others].slice(0, MOST_TASKS));
}

function allIn(text: string | null): (readonly [string, Viewed])[] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? all.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(entry: unknown): entry is readonly [string, Viewed] {
  return (
    Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'object' && entry[1] !== null
  );
}
