/** Names that a mistyped path may have meant. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  entryNames,
  HiddenPaths,
  resolveForReading,
  SteadyFolder,
  type InsidePath,
  type Refusal,
} from '@bullpen/workspace';
import { nameSimilarity } from './similarity.js';

/** Folders with more entries are looked at only so far. */
const MAX_NAMES = 5_000;
/** Below this two names have nothing to do with one another (the same name with another extension has about 0.6). */
const MIN_SIMILARITY = 0.5;

/** The refusal's reason and, for a path that does not exist, up to three near names in the deepest folder that does. */
export async function withNearNames(workspace: string, given: string, refusal: Refusal): Promise<string> {
  if (refusal.code !== 'not_found') return `${refusal.reason}.`;
  const names = path.normalize(given).split('/').filter(Boolean);
  while (names.length > 0) {
    const wanted = names.pop() ?? '';
    const folder = await resolveForReading(
      workspace,
      (given.startsWith('/') ? '/' : '') + names.join('/') || '.',
    );
    if (!folder.ok) continue;
    const inFolder = folder.place.relative || '.';
    const near = await nearNames(folder.place, wanted);
    if (near.length === 0)
      return `${refusal.reason}. Nothing in ${inFolder} has a similar name; use list_files to look.`;
    const shown = near.map((name) => JSON.stringify(path.posix.join(folder.place.relative, name)));
    return `${refusal.reason}. Similar names: ${shown.join(', ')}.`;
  }
  return `${refusal.reason}. Use list_files to look.`;
}

async function nearNames(folder: InsidePath, wanted: string): Promise<readonly string[]> {
  // Only a hint: a folder that can't be listed has none to give.
  const names = await SteadyFolder.with(folder.root, entryNames(folder.relative), ({ path }) =>
    readdir(path),
  ).catch(() => []);
  const hidden = HiddenPaths.of(folder.root);
  const above = folder.relative === '' ? [] : folder.relative.split('/');
  return names
    .slice(0, MAX_NAMES)
    .filter((name) => name !== '.git' && !name.startsWith('.bullpen'))
    .filter((name) => !hidden.hides([...above, name], true))
    .map((name) => ({ name, score: nameSimilarity(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}
