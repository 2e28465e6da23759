/** The command line of the fault suite. */
import { parseArgs } from 'node:util';
import { AppError, errorText } from '@bullpen/contracts';

export type Form = 'short' | 'default' | 'full' | 'mutants';
export type QueueBackend = 'postgres' | 'redis';

export interface SuiteOptions {
  readonly form: Form;
  readonly seed: number;
  /** Worlds of a sweep; null: as many as the form has time for. */
  readonly seeds: number | null;
  /** Ids of the parts to run; null: all of the form. */
  readonly only: readonly string[] | null;
  readonly backends: readonly QueueBackend[];
}

const USAGE = `usage: npm run test:faults -- [--short | --full | --mutants] [--seed N] [--seeds N] [--only X1,X4,mutants] [--backend redis|postgres]`;

/** Throws `config_invalid` for what it does not understand. */
export function parseOptions(args: readonly string[], chosenSeed: number): SuiteOptions {
  const values = read(args);
  const forms = (['short', 'full', 'mutants'] as const).filter((form) => values[form] === true);
  if (forms.length > 1) throw invalid(`--${forms.join(' and --')} exclude each other`);
  return {
    form: forms[0] ?? 'default',
    seed: wholeNumber('seed', values.seed) ?? chosenSeed,
    seeds: wholeNumber('seeds', values.seeds),
    only: values.only === undefined ? null : values.only.split(',').map((id) => id.trim()),
    backends: backendsOf(values.backend),
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        short: { type: 'boolean' },
        full: { type: 'boolean' },
        mutants: { type: 'boolean' },
        seed: { type: 'string' },
        seeds: { type: 'string' },
        only: { type: 'string' },
        backend: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw invalid(errorText(error));
  }
}

function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw invalid(`--${name} takes a whole number of up to nine digits`);
  return Number(text);
}

function backendsOf(text: string | undefined): readonly QueueBackend[] {
  if (text === undefined) return ['postgres', 'redis'];
  if (text !== 'postgres' && text !== 'redis') throw invalid('--backend takes redis or postgres');
  return [text];
}

function invalid(why: string): AppError {
  return new AppError('config_invalid', `${why}\n${USAGE}`);
}
