/**
 * Where a path given by a model leads. Nothing outside the workspace, also not through links; refusals are values with a text
 * that says what to do instead. The answer is checked again when the file is opened (`open-inside.ts`).
 */
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { HiddenPaths, HIDING_FILE } from './hidden-paths.js';
import { OWN_FOLDER, OWN_TEMP_PREFIX } from './walk.js';

/** A place inside the workspace. No name of `relative` is a link, as far as the place exists. */
export interface InsidePath {
  /** The workspace's real path. */
  readonly root: string;
  /** Names from the root down, joined by `/`; empty for the root itself. */
  readonly relative: string;
  readonly absolute: string;
  readonly exists: boolean;
}

export interface Refusal {
  readonly ok: false;
  readonly code: 'refused' | 'not_found' | 'outside' | 'hidden';
  readonly reason: string;
}
export type Resolution = { readonly ok: true; readonly place: InsidePath } | Refusal;

/** Resolves a path to something that exists: links that stay inside are followed. */
export async function resolveForReading(root: string, given: string): Promise<Resolution> {
  const resolved = await resolve(root, given);
  if (!resolved.ok || resolved.place.exists) return resolved;
  return { ok: false, code: 'not_found', reason: `${show(given)} does not exist in the workspace` };
}

/** Resolves a path that is to be written; it need not exist. `.git` and `.bullpen` are refused at any depth. */
export async function resolveForWriting(root: string, given: string): Promise<Resolution> {
  const resolved = await resolve(root, given);
  if (!resolved.ok) return resolved;
  if (resolved.place.relative === '')
    return refuse(`${show(given)} is the workspace folder itself; name a file in it`);
  const guarded = namesOf(resolved.place.relative).find(isGitFolder);
  if (guarded === undefined) return resolved;
  return refuse(`${show(given)} is in ${guarded}, which tools may not change; use git commands instead`);
}

/** A path inside `root` (both real) relative to it, with `/`; null when it is not inside. */
export function relativeInside(root: string, absolute: string): string | null {
  if (absolute === root) return '';
  // With the separator, so that /ws-other is not taken for a part of /ws.
  const prefix = root.endsWith(path.sep) ? root : root + path.sep;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length).split(path.sep).join('/') : null;
}

async function resolve(root: string, given: string): Promise<Resolution> {
  const malformed = malformation(given);
  if (malformed !== null) return refuse(malformed);
  const realRoot = await realpath(root).catch(() => null);
  if (realRoot === null) return refuse('the workspace folder no longer exists');
  const relative = lexicalPlace([realRoot, path.resolve(root)], given);
  if (relative === null) return refuse(outside(given), 'outside');
  const place = await followLinks(realRoot, namesOf(relative), given);
  if (!place.ok) return place;
  const own = [...namesOf(relative), ...namesOf(place.place.relative)].find(isOwnName);
  if (own !== undefined) return refuse(`${show(given)} is in ${own}, which holds Bullpen's own data`);
  // By its own name and by where it leads: neither a link to what is hidden nor a hidden link is a way in.
  const hidden = HiddenPaths.of(realRoot);
  const isFolder = place.place.exists && (await isFolderAt(place.place.absolute));
  const isHidden = [relative, place.place.relative].some((path) => hidden.hides(namesOf(path), isFolder));
  return isHidden ? refuse(`${show(given)} is hidden from agents by ${HIDING_FILE}`, 'hidden') : place;
}

async function isFolderAt(absolute: string): Promise<boolean> {
  return lstat(absolute).then(
    (stats) => stats.isDirectory(),
    // Gone or closed meanwhile: whoever opens it will say so.
    () => false,
  );
}

/** Where a path leads before it is opened: relative to the workspace, or absolute when it is outside. */
export interface Located {
  readonly path: string;
  readonly place: 'inside' | 'hidden' | 'outside';
}

/** Where a path given by a model leads, links followed; null for one that cannot be opened whatever is decided about it. */
export async function locate(root: string, given: string): Promise<Located | null> {
  const resolved = await resolve(root, given);
  if (resolved.ok) return { path: resolved.place.relative || '.', place: 'inside' };
  if (resolved.code !== 'outside' && resolved.code !== 'hidden') return null;
  const absolute = path.resolve(root, given);
  if (resolved.code === 'hidden')
    return { path: lexicalPlace([path.resolve(root)], given) ?? given, place: 'hidden' };
  // The text alone says little when a link is on the way.
  return { path: await realpath(absolute).catch(() => absolute), place: 'outside' };
}

/** Longer paths than Linux takes (PATH_MAX). */
const MAX_PATH_BYTES = 4_096;

function malformation(given: string): string | null {
  if (given === '') return 'the path is empty; use "." for the workspace folder';
  if (given.includes('\0')) return 'the path contains a NUL byte';
  if (given.startsWith('~'))
    return `${show(given)} starts with "~", which is not expanded; give a path relative to the workspace`;
  if (/^[A-Za-z]:([\\/]|$)/.test(given) || given.startsWith('\\\\')) {
    return `${show(given)} is a Windows path; give a path relative to the workspace, with "/"`;
  }
  return Buffer.byteLength(given) > MAX_PATH_BYTES ? `the path is longer than ${MAX_PATH_BYTES} bytes` : null;
}

/** The path relative to the root by its text alone, `..` resolved; absolute paths may use any of the root's names. */
function lexicalPlace(roots: readonly string[], given: string): string | null {
  for (const root of roots) {
    const relative = relativeInside(root, path.resolve(root, given));
    if (relative !== null) return relative;
  }
  return null;
}

/** Real place of the names: the deepest part that exists is resolved through its links, the rest is appended. */
async function followLinks(root: string, names: readonly string[], given: string): Promise<Resolution> {
  for (let count = names.length; count >= 0; count -= 1) {
    const candidate = path.join(root, ...names.slice(0, count));
    try {
      const base = relativeInside(root, await realpath(candidate));
      if (base === null)
        return refuse(`${show(given)} leads outside the workspace through a symbolic link`, 'outside');
      const relative = [...namesOf(base), ...names.slice(count)].join('/');
      const place = { root, relative, absolute: path.join(root, relative), exists: count === names.length };
      return { ok: true, place };
    } catch (error) {
      const reason = await explain(error, candidate, given);
      if (reason !== null) return refuse(reason);
    }
  }
  return refuse('the workspace folder no longer exists');
}

/** Why a part of the path can't be used; null when it is merely absent, so that its parent is to be tried. */
async function explain(error: unknown, candidate: string, given: string): Promise<string | null> {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT': {
      const isLink = await lstat(candidate).then(
        (stats) => stats.isSymbolicLink(),
        () => false,
      );
      return isLink ? `${show(given)} goes through a symbolic link whose target does not exist` : null;
    }
    case 'ENOTDIR':
      return `${show(given)} goes through a file as if it were a folder`;
    case 'ELOOP':
      return `${show(given)} goes through symbolic links that form a circle`;
    case 'ENAMETOOLONG':
      return `${show(given)} has a name that is too long (255 bytes at most)`;
    case 'EACCES':
      return `${show(given)} can't be reached: permission denied`;
    default:
      throw error;
  }
}

function namesOf(relative: string): readonly string[] {
  return relative === '' ? [] : relative.split('/');
}

/** Case, dots and spaces at the end are no difference on some file systems, so they make none here. */
function isGitFolder(name: string): boolean {
  return name.toLowerCase().replace(/[. ]+$/, '') === '.git';
}

/** Names that hold our own data. */
export function isOwnName(name: string): boolean {
  const folded = name.toLowerCase();
  return folded.replace(/[. ]+$/, '') === OWN_FOLDER || folded.startsWith(OWN_TEMP_PREFIX);
}

function outside(given: string): string {
  return `${show(given)} is outside the workspace; give a path relative to the workspace folder`;
}

/** The path in quotes, so that odd characters can't be taken for the text around them. */
function show(given: string): string {
  return JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given);
}

function refuse(reason: string, code: Refusal['code'] = 'refused'): Refusal {
  return { ok: false, code, reason };
}
