/** Of what decides in a repository, that which is harmless when a command has made it: what git itself makes when it is told to. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { relativeInside } from '../confine.js';
import { onDisk, readable } from './byte-path.js';
import { isHarmlessGitConfig } from './git-config.js';

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
  if (name === 'config') return isHarmlessGitConfig(text);
  return name === 'commondir' && names.at(-3) === 'worktrees' && text.trim() === '../..';
}

function isSample(name: string): boolean {
  return name.endsWith('.sample');
}

/** Whether a `.git` file leads to a repository in the workspace, as those of its work trees and submodules do. */
function pointsInside(root: string, absolute: string): boolean {
  const target = /^gitdir: (.+)\n?$/.exec(contentOf(absolute) ?? '')?.[1];
  if (target === undefined) return false;
  const relative = relativeInside(readable(root), path.resolve(path.dirname(readable(absolute)), target));
  return relative?.split('/').includes('.git') ?? false;
}

/** Null for what is no regular file, or too large for what it should be. */
function contentOf(absolute: string): string | null {
  const stats = lstatSync(onDisk(absolute));
  return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(onDisk(absolute), 'utf8') : null;
}
