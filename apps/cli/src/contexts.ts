/**
 * The settings of a person: named places where Bullpen runs, and which of them is meant when nothing else says so. They lie in the
 * person's own configuration folder, so that they hold from any folder; they hold keys, so nobody else may read them.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Env } from './config.js';
import { CliError } from './errors.js';
import { EXIT } from './exit-codes.js';

/** A gateway with a key for it, or the home folder of a Bullpen on this machine, which knows both. */
export const NamedPlace = z.union([
  z.strictObject({ url: z.string(), key: z.string().nullable() }),
  z.strictObject({ home: z.string() }),
]);
export type NamedPlace = z.infer<typeof NamedPlace>;

const Contexts = z.strictObject({
  current: z.string().nullable(),
  contexts: z.record(z.string(), NamedPlace),
});
export type Contexts = z.infer<typeof Contexts>;

const NONE: Contexts = { current: null, contexts: {} };

/** `$XDG_CONFIG_HOME/bullpen/contexts.json`, or the same below `~/.config`; null when there is no home folder. */
export function contextsPath(env: Env): string | null {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = env;
  // The specification has relative paths ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'bullpen/contexts.json');
  return home ? join(home, '.config/bullpen/contexts.json') : null;
}

/** All contexts; none when there is no file. Throws when others can read it, or when it is not one of ours. */
export function readContexts(env: Env): Contexts {
  const path = contextsPath(env);
  const found = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || found === undefined) return NONE;
  if ((found.mode & 0o077) !== 0)
    throw new CliError(EXIT.usage, `Others can read ${path}, which holds keys.`, [`chmod 600 ${path}`]);
  try {
    return Contexts.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new CliError(
      EXIT.usage,
      `${path} is not a valid contexts file.`,
      ['repair it, or remove it and add the contexts again: bullpen context add'],
      { cause: error },
    );
  }
}

/** Writes the file whole, for its owner alone. Throws when there is no home folder to put it in. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const path = contextsPath(env);
  if (path === null)
    throw new CliError(
      EXIT.usage,
      'There is nowhere to keep contexts: neither HOME nor XDG_CONFIG_HOME is set.',
    );
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  // The mode of a file that a killed process left there would stay.
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}

/** The context of this name. Throws with exit code 5 when there is none. */
export function contextNamed(contexts: Contexts, name: string): NamedPlace {
  const found = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(contexts.contexts);
  throw new CliError(EXIT.notFound, `There is no context "${name}".`, [
    names.length > 0 ? `one of these: ${names.join(', ')}` : 'add one: bullpen context add NAME --url URL',
  ]);
}
