/** The command line of the escape suite. */
import { parseArgs } from 'node:util';
import { AppError, errorText } from '@bullpen/contracts';

export interface EscapeOptions {
  /** Names of attacks, or beginnings of names with a star; null: all. */
  readonly names: readonly string[] | null;
  /** Without any sandbox: shows that the suite notices what it is there to notice. */
  readonly unboxed: boolean;
  /** Nothing for people: the JSON document alone. */
  readonly quiet: boolean;
  /** Only say which attacks there are. */
  readonly list: boolean;
}

const USAGE = 'usage: npm run test:escape -- [--case NAME,probe-*] [--unboxed] [--json] [--list]';

/** Throws `config_invalid` for what it does not understand. */
export function parseOptions(args: readonly string[]): EscapeOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        case: { type: 'string', multiple: true },
        unboxed: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    });
    const names = values.case?.flatMap((text) => text.split(',')).map((name) => name.trim()) ?? null;
    return { names, unboxed: values.unboxed, quiet: values.json, list: values.list };
  } catch (error) {
    throw new AppError('config_invalid', `${errorText(error)}\n${USAGE}`);
  }
}
