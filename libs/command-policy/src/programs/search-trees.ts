/** Which files below a folder the searching programs read. */
import type { GivenFlag } from '../schema/program-schema.js';
import type { TreeEntry, TreeUse } from '../tree.js';
import { mayMatch, wildcard } from '../wildcards.js';

/** grep goes through folders with `-r`, dot files and all; with `-R` it follows links as well. */
export function grepTree(flags: readonly GivenFlag[]): TreeUse | null {
  const isDeep = flags.some(
    ({ name, value }) =>
      /^(-[rR]|--(dereference-)?recursive)$/.test(name) ||
      (/^(-d|--directories)$/.test(name) && value === 'recurse'),
  );
  if (!isDeep) return null;
  const [include, exclude, excludeFolder] = ['--include', '--exclude', '--exclude-dir'].map((name) =>
    patternsOf(flags, name),
  ) as [Matcher[], Matcher[], Matcher[]];
  return {
    followsLinks: flags.some(({ name }) => name === '-R' || name === '--dereference-recursive'),
    selects: ({ name, relative, kind }) => {
      if (matchesAny(excludeFolder, foldersOf(relative, name, kind))) return false;
      if (kind === 'folder') return true;
      return !matchesAny(exclude, [name]) && (include.length === 0 || matchesAny(include, [name]));
    },
  };
}

/** rg leaves dot files out unless it is told otherwise; what it ignores besides is not looked at here. */
export function rgTree(flags: readonly GivenFlag[]): TreeUse | null {
  if (flags.some(({ name }) => /^--(files|type-list|version|help)$/.test(name))) return null;
  const globs = flags.filter(({ name }) => /^(-g|--i?glob)$/.test(name)).map(({ value }) => value ?? '');
  const wanted = globs.filter((glob) => !glob.startsWith('!')).map(matcher);
  const unwanted = globs.filter((glob) => /^![^/]*$/.test(glob)).map((glob) => matcher(glob.slice(1)));
  const takesHidden = flags.some(({ name }) => /^(--hidden|-u|--unrestricted|-\.)$/.test(name));
  return {
    followsLinks: false,
    prefersInput: true,
    selects: ({ name, relative, kind }) => {
      const names = relative.split('/');
      if (matchesAny(unwanted, names)) return false;
      if (kind !== 'folder' && wanted.length > 0) return matchesAny(wanted, [name, relative]);
      return takesHidden || !names.some((each) => each.startsWith('.'));
    },
  };
}

type Matcher = (name: string) => boolean;

function patternsOf(flags: readonly GivenFlag[], flag: string): Matcher[] {
  return flags.filter(({ name }) => name === flag).map(({ value }) => matcher(value ?? ''));
}

/** A pattern that cannot be read matches, and so may select more than the program does. */
function matcher(pattern: string): Matcher {
  const compiled = wildcard(pattern.toLowerCase());
  return (name) => mayMatch(compiled, name.toLowerCase());
}

function matchesAny(matchers: readonly Matcher[], names: readonly string[]): boolean {
  return matchers.some((matches) => names.some(matches));
}

function foldersOf(relative: string, name: string, kind: TreeEntry['kind']): string[] {
  const folders = relative.split('/').slice(0, -1);
  return kind === 'folder' ? [...folders, name] : folders;
}
