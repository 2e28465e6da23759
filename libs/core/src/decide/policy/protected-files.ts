/** Which files need a person before they are touched: by their names, and by the lists of the policy. Pure: paths are text. */
import type { PolicyRules } from '@bullpen/contracts';
import { isObeyedFile, isSecretFile, pathNames } from './file-names.js';
import { matchStars } from './match-stars.js';

/**
 * Why a file is protected. `secret`: it may hold credentials, so reading it needs approval as well; `obeyed`: it tells other
 * programs what to do (version control, agents, CI, shells); `listed`: the policy names it.
 */
export type Protection = 'secret' | 'obeyed' | 'listed';

/**
 * The protection of a path relative to the workspace, or null. Names are compared without case and in one Unicode form; an entry
 * of `protect` covers all that lies below it, and one without a slash stands for that name at any depth. Exceptions are exact
 * paths, or patterns of them.
 */
export function protectionOf(path: string, files: PolicyRules['files']): Protection | null {
  if (isException(path, files.exceptions)) return null;
  if (isSecretFile(path)) return 'secret';
  if (isObeyed(path)) return 'obeyed';
  const names = pathNames(path).filter((name) => name !== '');
  return files.protect.some((entry) => covers(entry, names)) ? 'listed' : null;
}

/** A folder may well be called `head`; a file of that name makes its folder a repository. */
function isObeyed(path: string): boolean {
  const names = pathNames(path);
  const folders = names.slice(0, -1).filter((name) => name !== 'head');
  return isObeyedFile([...folders, ...names.slice(-1)].join('/'));
}

function isException(path: string, exceptions: readonly string[]): boolean {
  const names = exactNames(path);
  return exceptions.some((entry) => matchNames(exactNames(entry), names));
}

/** An exception is for that very file: another spelling is another file on most systems. */
function exactNames(path: string): string[] {
  return path
    .normalize('NFC')
    .split('/')
    .filter((name) => name !== '' && name !== '.');
}

function covers(entry: string, names: readonly string[]): boolean {
  const pattern = pathNames(entry).filter((name) => name !== '');
  if (pattern.length === 0) return false;
  const anchored = entry.replace(/\/+$/, '').includes('/') ? pattern : ['**', ...pattern];
  return matchNames(anchored, names) || matchNames([...anchored, '**'], names);
}

/** Whether names match a pattern of names: `*` for any part of one name, `**` for any number of names. */
function matchNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchStars(
    pattern,
    names,
    (part) => part === '**',
    (part, name) => matchStars([...part], [...name], (char) => char === '*', Object.is),
  );
}
