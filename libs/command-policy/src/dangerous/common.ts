/** What the detectors of danger share. They see words as they are, also where a value is only a guess. */
import { finding, type Finding, type RuleId } from '../rules.js';
import type { Span } from '../types.js';
import type { Arg } from '../words.js';

/** A program and the words behind it. */
export interface Call {
  readonly program: string;
  readonly args: readonly Arg[];
  readonly span: Span;
}

/** Whether a flag is given: by its letter alone or in a bundle, or by its long name or an abbreviation of it. */
export function hasFlag(call: Call, letters: string, ...long: readonly string[]): boolean {
  return call.args.some(({ value }) => {
    if (/^-[A-Za-z0-9]+$/.test(value)) return [...letters].some((letter) => value.slice(1).includes(letter));
    const name = value.split('=', 1)[0] ?? value;
    return (
      name.startsWith('--') && name.length > 3 && long.some((each) => each === name || each.startsWith(name))
    );
  });
}

export function operandsOf(call: Call): Arg[] {
  return call.args.filter(({ value }) => !value.startsWith('-'));
}

export function danger(rule: RuleId, message: string, call: Call, arg?: Arg): Finding {
  return finding(rule, message, arg?.span ?? call.span);
}

const SYSTEM_FOLDERS =
  /^\/+(\.|\*|\.\*|(bin|boot|dev|etc|home|lib(32|64|x32)?|opt|proc|root|run|sbin|srv|sys|usr|var|mnt|media|Users|System|Library|Applications|Windows)(\/+\*?)?)?$/;
const HOMES = /^(~[\w-]*|"?\$\{?HOME\}?"?|\/(home|Users)\/[^/]+|\/root)\/*(\*|\.\*?)?$/;

/** A root, a folder that the system lives in, or a whole home. */
export function isSystemPath(arg: Arg): boolean {
  return [arg.value, arg.span.text].some((text) => {
    const path = text
      .replace(/^["']|["']$/g, '')
      .replace(/\/\.(?=\/|$)/g, '')
      .replace(/\/[^/]+\/\.\.(?=\/|$)/g, '');
    if (path === '') return text.startsWith('/');
    return SYSTEM_FOLDERS.test(path) || HOMES.test(path) || /^[A-Za-z]:[\\/]*$/.test(path);
  });
}

/** `.`, `*`, `..` and the like: everything there is. */
export function isBroadPath(arg: Arg): boolean {
  return isSystemPath(arg) || /^(\.{1,2}|\*|\.\*|\.\/\*?|\.\.\/.*)$/.test(arg.value);
}
