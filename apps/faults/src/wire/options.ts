/** The command line of the wire suite. */
import { parseArgs } from 'node:util';
import { AppError, errorText } from '@bullpen/contracts';

export interface WireOptions {
  /** Names of cases, or beginnings of names with a star; null: all. */
  readonly names: readonly string[] | null;
  /** Of the cases that are made by chance. */
  readonly seed: number;
  /** How many of them. */
  readonly random: number;
  /** How many streams are read without an installation. */
  readonly streams: number;
  /** Nothing for people: the JSON document alone. */
  readonly quiet: boolean;
  /** Only say which cases there are. */
  readonly list: boolean;
}

const USAGE =
  'usage: npm run test:wire -- [--case NAME,usage-*] [--seed N] [--random COUNT] [--streams COUNT] [--json] [--list]';

/** Throws `config_invalid` for what it does not understand. */
export function parseOptions(args: readonly string[]): WireOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        case: { type: 'string', multiple: true },
        seed: { type: 'string', default: '1' },
        random: { type: 'string', default: '60' },
        streams: { type: 'string', default: '100000' },
        json: { type: 'boolean' },
        list: { type: 'boolean' },
      },
    });
    const names = values.case?.flatMap((text) => text.split(',')).map((name) => name.trim()) ?? null;
    return {
      names,
      seed: wholeNumber('seed', values.seed),
      random: wholeNumber('random', values.random),
      streams: wholeNumber('streams', values.streams),
      quiet: values.json === true,
      list: values.list === true,
    };
  } catch (error) {
    throw new AppError('config_invalid', `${errorText(error)}\n${USAGE}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--${name} takes a whole number of up to six digits`);
  return Number(text);
}

/** The cases of these names. Throws `config_invalid` for a name that none has. */
export function chosen<T extends { readonly name: string }>(
  cases: readonly T[],
  names: readonly string[] | null,
): readonly T[] {
  if (names === null) return cases;
  const fits = (one: T, name: string) =>
    name.endsWith('*') ? one.name.startsWith(name.slice(0, -1)) : one.name === name;
  const unknown = names.filter((name) => !cases.some((one) => fits(one, name)));
  if (unknown.length > 0)
    throw new AppError('config_invalid', `There is no case ${unknown.join(', ')}; --list shows them`);
  return cases.filter((one) => names.some((name) => fits(one, name)));
}
