/** What every command takes from the command line and the environment. */
import type { IoSettings } from './io.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** Options that every command knows. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly keyFile?: string;
  readonly home?: string;
  readonly context?: string;
}

/** How the terminal is to be used, by the conventions of no-color.org and of `FORCE_COLOR`. */
export function ioSettings(env: Env, args: readonly string[]): IoSettings {
  return {
    noColor: Boolean(env['NO_COLOR']) || args.includes('--no-color'),
    forceColor: Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0',
    dumb: env['TERM'] === 'dumb',
  };
}
