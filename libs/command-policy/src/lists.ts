/** The user's lists: entries match by words, the longest match wins, and deny wins a tie. */
import { baseName, gitWords } from './program-name.js';
import type { CommandPolicySettings } from './types.js';
import type { Arg } from './arg.js';

export interface ListMatch {
  readonly decision: 'allow' | 'deny';
  readonly entry: readonly string[];
}

/** The entry that decides about a command, or null. */
export function matchLists(args: readonly Arg[], settings: CommandPolicySettings): ListMatch | null {
  const allow = longest(settings.allow, (entry) => matchesAllow(entry, args));
  const deny = longest(settings.deny, (entry) => matchesDeny(entry, args));
  if (deny !== null && deny.length >= (allow?.length ?? 0)) return { decision: 'deny', entry: deny };
  return allow === null ? null : { decision: 'allow', entry: allow };
}

/** Whether the whole command is listed as an exception, word for word. */
export function isException(args: readonly Arg[], settings: CommandPolicySettings): boolean {
  if (args.some((arg) => arg.kind !== 'literal')) return false;
  return settings.dangerousExceptions.some((text) => {
    const words = wordsOf(text);
    return words.length === args.length && words.every((word, at) => word === args[at]?.value);
  });
}

/** Whether the allow list holds `*`: then every command runs that nothing denies. */
export function allowsAll(settings: CommandPolicySettings): boolean {
  return settings.allow.some((entry) => entry.trim() === '*');
}

function wordsOf(entry: string): string[] {
  return entry.split(/\s+/).filter((word) => word !== '');
}

function longest(
  entries: readonly string[],
  matches: (entry: readonly string[]) => boolean,
): readonly string[] | null {
  let found: readonly string[] | null = null;
  for (const text of entries) {
    const entry = wordsOf(text);
    if (entry.length > (found?.length ?? 0) && matches(entry)) found = entry;
  }
  return found;
}

/** To allow, the words must stand there as they are. */
function matchesAllow(entry: readonly string[], args: readonly Arg[]): boolean {
  return entry.every((word, at) => args[at]?.kind === 'literal' && args[at]?.value === word);
}

/** To deny, neither a folder in front of the program nor flags in between help; flags of the entry may stand anywhere. */
function matchesDeny(entry: readonly string[], args: readonly Arg[]): boolean {
  const [program, ...rest] = args;
  if (program === undefined) return false;
  const name = baseName(program.value);
  const words = name === 'git' ? gitWords(rest) : rest;
  const plain = [
    program.value,
    ...words.filter(({ value }) => !value.startsWith('-')).map(({ value }) => value),
  ];
  const wanted = entry.filter((word) => !word.startsWith('-'));
  const flags = entry.filter((word) => word.startsWith('-'));
  const values = new Set(words.map(({ value }) => value));
  const hasFlags = flags.every((flag) => values.has(flag) || bundled(flag, words));
  return hasFlags && wanted.every((word, at) => plain[at] === word || (at === 0 && baseName(word) === name));
}

/** `-rf` is in `-fr`, in `-r -f` and in `-rfv`. */
function bundled(flag: string, words: readonly Arg[]): boolean {
  if (!/^-[A-Za-z]+$/.test(flag)) return false;
  const given = words
    .filter(({ value }) => /^-[A-Za-z]+$/.test(value))
    .map(({ value }) => value.slice(1))
    .join('');
  return [...flag.slice(1)].every((letter) => given.includes(letter));
}
