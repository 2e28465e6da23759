/** Which Bullpen is meant: by its address, or by its home folder on this machine. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENTS_FOLDER } from '@bullpen/contracts';
import type { Env, GlobalOptions } from './config.js';
import { contextNamed, readContexts, type Contexts, type NamedPlace } from './contexts.js';
import { CliError } from './errors.js';
import { EXIT } from './exit-codes.js';

/** Where a Bullpen is: at an address, or the one of a home folder. */
export type Place = { readonly from: string; readonly context?: NamedPlace } & (
  { readonly url: string } | { readonly home: string }
);

/** This repository: inside it, the person's current context says nothing, so that `npm start` and `npm run demo` stay here. */
const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Which Bullpen is meant, by the first that says so: the command line, the environment, the `.bullpen` here or in a folder above
 * when it belongs to us (a folder that somebody else could have put there might send our prompts to them), the person's current
 * context. Otherwise the `.bullpen` that would be made here.
 */
export function findPlace(options: GlobalOptions, env: Env, cwd: string): Place {
  if (options.context !== undefined && (options.url !== undefined || options.home !== undefined))
    throw new CliError(EXIT.usage, 'Name only one Bullpen: --context, or --url or --home.');
  if (options.url !== undefined) return { url: options.url, from: '--url' };
  if (options.home !== undefined) return { home: resolve(cwd, options.home), from: '--home' };
  if (options.context !== undefined) return placeOf(options.context, readContexts(env));
  if (env['BULLPEN_URL']) return { url: env['BULLPEN_URL'], from: 'BULLPEN_URL' };
  if (env['BULLPEN_CONTEXT']) return placeOf(env['BULLPEN_CONTEXT'], readContexts(env));
  return localPlace(env, cwd) ?? currentPlace(env, cwd) ?? { home: resolve(cwd, '.bullpen'), from: 'here' };
}

function placeOf(name: string, contexts: Contexts): Place {
  const context = contextNamed(contexts, name);
  return { ...context, from: `context ${name}`, context };
}

function localPlace(env: Env, cwd: string): Place | null {
  if (env['BULLPEN_HOME']) return { home: resolve(cwd, env['BULLPEN_HOME']), from: 'BULLPEN_HOME' };
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const home = join(folder, '.bullpen');
    if (isOurFolder(home)) return { home, from: home };
    if (folder === dirname(folder)) return null;
  }
}

function currentPlace(env: Env, cwd: string): Place | null {
  if (`${resolve(cwd)}${sep}`.startsWith(CHECKOUT)) return null;
  const contexts = readContexts(env);
  return contexts.current === null ? null : placeOf(contexts.current, contexts);
}

/** The home folder. Absolute; need not exist. For a Bullpen at an address: the one that commands on this machine would use. */
export function findHome(options: GlobalOptions, env: Env, cwd: string): string {
  const place = findPlace(options, env, cwd);
  if ('home' in place) return place.home;
  if (options.home !== undefined) return resolve(cwd, options.home);
  const local = localPlace(env, cwd);
  return local !== null && 'home' in local ? local.home : resolve(cwd, '.bullpen');
}

/** True when an address is named, and not a home folder: nothing is to be started here. */
export function namesAddress(options: GlobalOptions, env: Env, cwd: string): boolean {
  return 'url' in findPlace(options, env, cwd);
}

/** Whether the text is a whole http or https address, rather than a name or a folder. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

function isOurFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  const isOurs =
    found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
  return isOurs && !hasOnlyAgents(path);
}

/** Such a folder came with a project, and is nobody's home. */
function hasOnlyAgents(path: string): boolean {
  const names = readdirSync(path);
  return names.length === 1 && names[0] === basename(AGENTS_FOLDER);
}
