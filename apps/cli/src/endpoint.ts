/** Where a running Bullpen is found, and with which key. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Env, GlobalOptions } from './config.js';
import { bareReasonOf, CliError } from './errors.js';
import { EXIT } from './exit-codes.js';
import { findHome, findPlace, isWebAddress, type Place } from './place.js';
import { readUpFile } from './stack/up-file.js';

export interface FoundKey {
  readonly apiKey: string | null;
  /** Where the key came from, or would have: for messages, which never show the key itself. */
  readonly keyFrom: string | null;
}

/** Where to send requests, and as whom. */
export interface Endpoint extends FoundKey {
  readonly url: string;
  /** How the address was found, for messages. */
  readonly from: string;
}

/**
 * The gateway's address and key. Throws with exit code 9 when no address is known, 5 for a context that does not exist, and 2 for what
 * cannot be used.
 */
export function findEndpoint(options: GlobalOptions, env: Env, cwd: string): Endpoint {
  const place = findPlace(options, env, cwd);
  if ('home' in place) return endpointOf(place.home, options, env, place);
  const { url, from, context } = place;
  if (!isWebAddress(url))
    throw new CliError(
      EXIT.usage,
      `${from} must be a URL that starts with http:// or https:// (it is ${url})`,
    );
  const key = findKey(options, env, context === undefined ? findHome(options, env, cwd) : null, place);
  return { url: url.replace(/\/+$/, ''), from, ...key };
}

function endpointOf(home: string, options: GlobalOptions, env: Env, place: Place): Endpoint {
  const up = readUpFile(home);
  if (up === null)
    throw new CliError(EXIT.unreachable, `No running Bullpen found (there is no up.json in ${home}).`, [
      "start one: npm start in Bullpen's folder, or bullpen up",
      'or name one: --url URL or BULLPEN_URL, with a key in BULLPEN_API_KEY or --key-file; or --context NAME',
    ]);
  return { url: up.url, from: join(home, 'up.json'), ...findKey(options, env, home, place) };
}

/**
 * The API key: of the file that is named, of the context, of BULLPEN_API_KEY, or of the home. A context comes before the environment: a
 * key for one gateway must not be sent to another.
 */
export function findKey(
  options: GlobalOptions,
  env: Env,
  home: string | null,
  { context, from }: Pick<Place, 'context' | 'from'> = { from: '' },
): FoundKey {
  if (options.keyFile !== undefined) return keyIn(options.keyFile);
  if (context !== undefined && 'url' in context && context.key !== null)
    return { apiKey: context.key, keyFrom: from };
  const ofHome = home === null ? null : join(home, 'key');
  const exists = ofHome !== null && statSync(ofHome, { throwIfNoEntry: false }) !== undefined;
  if (context !== undefined && exists) return keyIn(ofHome);
  if (env['BULLPEN_API_KEY']) return { apiKey: env['BULLPEN_API_KEY'], keyFrom: 'BULLPEN_API_KEY' };
  return exists ? keyIn(ofHome) : { apiKey: null, keyFrom: ofHome };
}

function keyIn(path: string): FoundKey {
  return { apiKey: readKeyFile(path), keyFrom: path };
}

/** The key that is all there is in a file. Throws with exit code 2 for a file that cannot be read or holds anything else. */
export function readKeyFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(EXIT.usage, `The key file ${path} cannot be read: ${bareReasonOf(error)}`, [], {
      cause: error,
    });
  }
  return keyOf(text, `The key file ${path}`);
}

/** The key in a text. Throws with exit code 2, naming the text as `what`, when that is not all there is in it. */
export function keyOf(text: string, what: string): string {
  const key = text.trim();
  if (key !== '' && !/\s/.test(key)) return key;
  throw new CliError(EXIT.usage, `${what} must hold one API key and nothing else.`);
}
