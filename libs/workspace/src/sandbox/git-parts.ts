/** Of what decides in a repository, that which is harmless when a command has made it: what git itself makes when it is told to. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { relativeInside } from '../confine.js';
import { readPlainFile } from '../plain-file.js';
import { byteString, onDisk, readable } from './byte-path.js';
import { isHarmlessGitConfig } from './git-config.js';
import { repositoriesIn } from './repository.js';

const MAX_BYTES = 65_536;

/** False for what belongs to no repository. The path is relative to the workspace; both are byte strings. */
export function isHarmlessPart(root: string, part: string): boolean {
  const absolute = `${root}/${part}`;
  const names = part.split('/');
  const name = names.at(-1) ?? '';
  const stats = lstatSync(onDisk(absolute), { throwIfNoEntry: false });
  if (stats === undefined) return true;
  if (name === '.git') return pointsInside(root, absolute);
  if (!names.includes('.git')) return false;
  if (name === 'hooks' && stats.isDirectory()) return readdirSync(onDisk(absolute)).every(isSample);
  const text = contentOf(absolute);
  if (text === null) return false;
  if (name === 'config') return isHarmlessGitConfig(text, (tree) => leadsInside(root, absolute, tree));
  return name === 'commondir' && names.at(-3) === 'worktrees' && text.trim() === '../..';
}

function isSample(name: string): boolean {
  return name.endsWith('.sample');
}

/**
 * Whether a `.git` file leads to a repository whose settings are looked at, as those of work trees and submodules are: any other
 * folder in a repository can hold settings of its own.
 */
function pointsInside(root: string, absolute: string): boolean {
  const target = /^gitdir: (.+)\n?$/.exec(contentOf(absolute) ?? '')?.[1];
  if (target === undefined) return false;
  const place = path.resolve(path.dirname(readable(absolute)), target);
  const names = relativeInside(readable(root), place)?.split('/') ?? [];
  const repository = [readable(root), ...names.slice(0, names.indexOf('.git') + 1)].join('/');
  if (!names.includes('.git') || realOf(repository) !== repository) return false;
  return repositoriesIn(byteString(repository)).includes(byteString(place));
}

/** Whether the files of a repository are to be in a folder of the workspace; git follows links on the way. */
function leadsInside(root: string, config: string, tree: string): boolean {
  const real = realOf(path.resolve(path.dirname(readable(config)), tree));
  return real !== null && relativeInside(readable(root), real) !== null;
}

function realOf(place: string): string | null {
  try {
    return realpathSync(place);
  } catch {
    return null; // Not there, or not ours to see.
  }
}

/** Null for what is no regular file, or too large for what it should be. */
function contentOf(absolute: string): string | null {
  try {
    return readPlainFile(onDisk(absolute), MAX_BYTES)?.toString('utf8') ?? null;
  } catch {
    return null;
  }
}
