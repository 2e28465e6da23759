/** A command as the detectors of danger see it: words as they stand there, also where a value is only a guess. */
import type { Span } from '../types.js';
import type { Arg } from '../arg.js';

export interface Call {
  readonly program: string;
  /** The words behind it; of git, those from the subcommand on. */
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

/** The words of a call that are no flags. */
export function operandsOf(call: Call): Arg[] {
  return call.args.filter(({ value }) => !value.startsWith('-'));
}
