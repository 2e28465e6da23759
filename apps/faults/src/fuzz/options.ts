/** The command line of the fuzz. */
import { parseArgs } from 'node:util';
import { AppError, errorText } from '@bullpen/contracts';

export interface FuzzArguments {
  readonly requests: number;
  readonly seed: number;
  /** Number of the only request to send; null: all. */
  readonly only: number | null;
  /** Nothing for people: the JSON document alone. */
  readonly quiet: boolean;
}

const USAGE = 'usage: npm run test:fuzz -- [--requests COUNT] [--seed N] [--only INDEX] [--json]';

/** Throws `config_invalid` for what it does not understand. */
export function parseOptions(args: readonly string[]): FuzzArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string', default: '35000' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    return {
      requests: wholeNumber('requests', values.requests),
      seed: wholeNumber('seed', values.seed),
      only: values.only === undefined ? null : wholeNumber('only', values.only),
      quiet: values.json === true,
    };
  } catch (error) {
    throw new AppError('config_invalid', `${errorText(error)}\n${USAGE}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new Error(`--${name} takes a whole number of up to eight digits`);
  return Number(text);
}
