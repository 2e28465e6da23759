/**
 * What the ignore files that a checkpoint holds name. That it lacks such a path does not mean that nothing was there: a restore to it
 * must not take the path for something that came later.
 */
import { decidedBy, parseIgnoreFile, type IgnoreRule } from '@bullpen/workspace';
import { nameOf, parentOf, shownPath, type BytePath } from '../files/byte-path.js';
import type { Listing } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';

export type NamesPath = (path: BytePath) => boolean;

export async function ignoredIn(shadow: ShadowRepository, entries: Listing): Promise<NamesPath> {
  const rulesOf = new Map<string, readonly IgnoreRule[]>();
  for (const [path, { kind, blob }] of entries)
    if (nameOf(path) === '.gitignore' && kind === 'file' && blob !== null)
      rulesOf.set(shownPath(parentOf(path)), parseIgnoreFile((await shadow.blob(blob)).toString('utf8')));
  return (path) => rulesOf.size > 0 && isIgnored(rulesOf, shownPath(path).split('/'));
}

/** An ignored folder hides all that it holds. */
function isIgnored(rulesOf: ReadonlyMap<string, readonly IgnoreRule[]>, names: readonly string[]): boolean {
  return names.some((_, at) => decision(rulesOf, names.slice(0, at + 1), at < names.length - 1) === true);
}

/** The innermost rule that speaks of it decides. */
function decision(
  rulesOf: ReadonlyMap<string, readonly IgnoreRule[]>,
  names: readonly string[],
  isFolder: boolean,
): boolean | null {
  for (let depth = names.length - 1; depth >= 0; depth -= 1) {
    const rules = rulesOf.get(names.slice(0, depth).join('/')) ?? [];
    const decided = decidedBy(rules, names.slice(depth), isFolder);
    if (decided !== null) return decided;
  }
  return null;
}
