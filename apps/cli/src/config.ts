/** What the command line takes from the environment, and where a running Bullpen is found. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CliError } from './errors.js';
import { EXIT } from './exit-codes.js';
import type { IoSettings } from './io.js';
import { readUpFile } from './stack/up-file.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** Options that every command knows. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly keyFile?: string;
  readonly home?: string;
}

/** Where to send requests, and as whom. */
export interface Endpoint {
  readonly url: string;
  readonly apiKey: string | null;
  /** How the address was found, for messages. */
  readonly from: string;
}

/** How the terminal is to be used, by the conventions of no-color.org and of `FORCE_COLOR`. */
export function ioSettings(env: Env, args: readonly string[]): IoSettings {
  return {
    noColor: Boolean(env['NO_COLOR']) || args.includes('--no-color'),
    forceColor: Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0',
    dumb: env['TERM'] === 'dumb',
  };
}

/**
 * The home folder: `--home`, BULLPEN_HOME, `.bullpen` here, or the nearest one in a folder above when it belongs to us (a
 * folder that somebody else could have put there might send our prompts to them). Absolute; need not exist.
 */
export function findHome(options: GlobalOptions, env: Env, cwd: string): string {
  const named = options.home ?? (env['BULLPEN_HOME'] || undefined);
  if (named !== undefined) return resolve(cwd, named);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const candidate = join(folder, '.bullpen');
    if (isOurFolder(candidate)) return candidate;
    if (folder === dirname(folder)) return resolve(cwd, '.bullpen');
  }
}

/**
 * The gateway's address and key. Address: `--url`, BULLPEN_URL, or `up.json` of the home. Key: `--key-file`,
 * BULLPEN_API_KEY, or the home's `key` file. Throws with exit code 9 when no address is known, and 2 for a key file that
 * cannot be used.
 */
export function findEndpoint(options: GlobalOptions, env: Env, cwd: string): Endpoint {
  const home = findHome(options, env, cwd);
  const apiKey = findKey(options, env, home);
  const given = options.url ?? (env['BULLPEN_URL'] || undefined);
  if (given !== undefined) {
    const from = options.url === undefined ? 'BULLPEN_URL' : '--url';
    if (!/^https?:\/\//.test(given) || !URL.canParse(given))
      throw new CliError(
        EXIT.usage,
        `${from} must be a URL that starts with http:// or https:// (it is ${given})`,
      );
    return { url: given.replace(/\/+$/, ''), apiKey, from };
  }
  const up = readUpFile(home);
  if (up === null)
    throw new CliError(EXIT.unreachable, `No running Bullpen found (there is no up.json in ${home}).`, [
      'start one: npm start',
      'or name one: --url URL or BULLPEN_URL, with a key in BULLPEN_API_KEY or --key-file',
    ]);
  return { url: up.url, apiKey, from: join(home, 'up.json') };
}

/** The API key, from the first place that has one; null when none has. */
export function findKey(options: GlobalOptions, env: Env, home: string): string | null {
  if (options.keyFile !== undefined) return readKeyFile(options.keyFile);
  if (env['BULLPEN_API_KEY']) return env['BULLPEN_API_KEY'];
  const path = join(home, 'key');
  return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readKeyFile(path);
}

function readKeyFile(path: string): string {
  try {
    const key = readFileSync(path, 'utf8').trim();
    if (key !== '' && !/\s/.test(key)) return key;
  } catch (error) {
    throw new CliError(EXIT.usage, `The key file ${path} cannot be read: ${String(error)}`, [], {
      cause: error,
    });
  }
  throw new CliError(EXIT.usage, `The key file ${path} must hold one API key and nothing else.`);
}

function isOurFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}
