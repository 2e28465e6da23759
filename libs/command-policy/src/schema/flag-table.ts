/**
 * The notation for a program's flags, and its table. A line of flags reads like a manual page:
 *
 *     -l --all            no value
 *     -n:num --lines=num  a value, attached or the next word
 *     --color[=text]      a value only when attached
 *     -i[suffix]          likewise for a letter
 *     --format={a|b}      one of these
 */
import { AppError } from '@bullpen/contracts';

/** How a value is judged. `in`, `out`: a path to read, to write. `text`: nothing. `guarded`: may be a path, so must lead inside. `name`: a package or folder of the project. */
export type ValueKind =
  'none' | 'text' | 'num' | 'word' | 'in' | 'out' | 'guarded' | 'suffix' | 'code' | 'name' | 'pattern';

export interface Flag {
  readonly name: string;
  readonly kind: ValueKind;
  readonly optional: boolean;
  /** The values that are known, when only some are. */
  readonly choices: readonly string[] | null;
}

export type FlagTable = ReadonlyMap<string, Flag>;

const FLAG =
  /^(?<name>-[^\s:=[]+)(?:[:=](?:\{(?<choices>[^}]*)\}|(?<kind>[a-z]+))|(?<open>\[)=?(?<maybe>[a-z]+)\])?$/;
const KINDS = new Set<string>([
  'text',
  'num',
  'word',
  'in',
  'out',
  'guarded',
  'suffix',
  'code',
  'name',
  'pattern',
]);

/** Reads the notation. Throws an `AppError` for a table that does not follow it, so that a mistake shows at load. */
export function flagTable(...lines: readonly string[]): FlagTable {
  const table = new Map<string, Flag>();
  for (const text of lines.join(' ').split(/\s+/)) {
    if (text === '') continue;
    const groups = FLAG.exec(text)?.groups;
    if (groups === undefined) throw new AppError('internal_error', `Not a flag: ${text}`);
    const { name = '', open, choices, maybe } = groups;
    const kind = groups['kind'] ?? maybe;
    if (kind !== undefined && !KINDS.has(kind))
      throw new AppError('internal_error', `Not a kind of value: ${text}`);
    table.set(name, {
      name,
      kind: choices !== undefined ? 'word' : ((kind ?? 'none') as ValueKind),
      optional: open === '[',
      choices: choices?.split('|') ?? null,
    });
  }
  return table;
}
