/** The command line of the workspace suite. */
import { parseArgs } from 'node:util';
import { AppError, errorText } from '@bullpen/contracts';

export interface WorkspaceOptions {
  readonly seed: number;
  /** How many trees are made, changed, moved and restored. */
  readonly rounds: number;
  /** Of the tree in which the time of a checkpoint is measured. */
  readonly files: number;
  /** Nothing for people: the JSON document alone. */
  readonly quiet: boolean;
}

const USAGE = 'usage: npm run test:workspaces -- [--seed N] [--rounds COUNT] [--files COUNT] [--json]';

/** Throws `config_invalid` for what it does not understand. */
export function parseOptions(args: readonly string[]): WorkspaceOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        rounds: { type: 'string', default: '20' },
        files: { type: 'string', default: '20000' },
        json: { type: 'boolean', default: false },
      },
    });
    return {
      seed: wholeNumber('seed', values.seed),
      rounds: wholeNumber('rounds', values.rounds),
      files: wholeNumber('files', values.files),
      quiet: values.json,
    };
  } catch (error) {
    throw new AppError('config_invalid', `${errorText(error)}\n${USAGE}`);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--${name} takes a whole number of up to six digits`);
  return Number(text);
}
