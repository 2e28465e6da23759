/**
 * What a box does with a path of the workspace, by its name: what may hold credentials and what the workspace hides is not there; what
 * tells other programs what to do can be read and not changed. Paths are byte strings: each character is one byte of the name.
 */
import type { PolicyRules } from '@bullpen/contracts';
import { protectionOf } from '@bullpen/core';
import { isOwnName } from '../confine.js';
import type { HiddenPaths } from '../hidden-paths.js';

/**
 * `secret` and `hidden` are not there: by their name, or because the workspace or we ourselves keep them from agents. `keep` can be
 * read only. `repository`: the insides of a `.git` folder have rules of their own (`repository.ts`).
 */
export type BoxRole = 'secret' | 'hidden' | 'keep' | 'repository';
export type EntryKind = 'file' | 'folder' | 'link' | 'socket';

/** What was installed is public, is written by every install, and needs its own certificates. */
const INSTALLED = new Set(['node_modules', 'site-packages']);
/** Names that are protected from tools, and that work in a box makes all the time: a box bounds what they can do. */
const MADE_BY_WORK = new Set([...INSTALLED, '.venv']);

export interface BoxRules {
  readonly hidden: HiddenPaths;
  /** Whether the workspace hides anything by its own list. */
  readonly hidesByList: boolean;
  readonly files: PolicyRules['files'];
}

/** Null for what is like any other. `names`: from the workspace down. */
export function boxRole(names: readonly string[], kind: EntryKind, rules: BoxRules): BoxRole | null {
  const isFolder = kind === 'folder';
  const name = names.at(-1) ?? '';
  if (isOwnName(name) || rules.hidden.hides(names, isFolder)) return 'hidden';
  if (names.some((each) => INSTALLED.has(each)) || MADE_BY_WORK.has(name)) return null;
  const protection = protectionOf(names.join('/'), rules.files);
  if (protection === null) return null;
  if (protection === 'secret') return protection;
  if (name === '.git' && isFolder) return 'repository';
  return isFolder && name.toLowerCase() === 'head' ? null : 'keep';
}

/** Whether something in the folder may need a look. */
export function isLookedInto(names: readonly string[], role: BoxRole | null, rules: BoxRules): boolean {
  if (role === 'repository') return false;
  if (role === 'secret' || role === 'hidden') return mayHoldException(names, rules);
  return rules.hidesByList || !names.some((name) => INSTALLED.has(name));
}

/** Whether an exception of the policy may lie in a folder, which then can't be dealt with as a whole. */
export function mayHoldException(names: readonly string[], { files }: BoxRules): boolean {
  return files.exceptions.some((entry) => {
    const parts = entry.split('/').filter((part) => part !== '' && part !== '.');
    return names.every((name, at) => parts.slice(0, at + 1).includes('**') || mayBe(parts[at], name));
  });
}

function mayBe(pattern: string | undefined, name: string): boolean {
  return pattern !== undefined && (pattern.includes('*') || pattern === name);
}
