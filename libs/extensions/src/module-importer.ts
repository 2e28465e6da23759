/** Imports modules that people wrote, TypeScript as well. What they need of Bullpen is there without an installation. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import { errorText } from '@bullpen/contracts';
import type * as Jitis from 'jiti';
import type { Jiti } from 'jiti';
import type { Flaw } from './problem.js';

/** How long a module may take to load. */
const LOAD_MS = 10_000;

const require = createRequire(import.meta.url);

/** What every module may import, and where it is. */
const PROVIDED = {
  '@bullpen/sdk': require.resolve('@bullpen/sdk'),
  // The very modules that we use ourselves, so that a schema of theirs is one of ours.
  zod: join(dirname(require.resolve('zod/package.json')), 'index.js'),
};

export class ModuleImporter {
  #jiti: Jiti | null = null;

  /** @param loadMs how long a module may take */
  constructor(private readonly loadMs = LOAD_MS) {}

  /** What a module exports, or why it cannot be imported, with the line of its source that is to blame. Never throws. */
  async import(
    path: string,
    source: string,
  ): Promise<{ readonly exports: Record<string, unknown> } | { readonly flaw: Flaw }> {
    const waiting = new AbortController();
    try {
      const exports = await Promise.race([this.#load(path), this.#timeout(waiting.signal)]);
      return exports === null
        ? {
            flaw: {
              line: null,
              message: `did not load within ${this.loadMs / 1_000} s: an await at its top level does not end`,
            },
          }
        : { exports };
    } catch (error) {
      return { flaw: flawOf(error, path, source) };
    } finally {
      waiting.abort();
    }
  }

  /** The file that an import of the module runs; null when it has none. */
  entryOf(module: string, from: string): string | null {
    const url = this.#loader().esmResolve(module, { parentURL: join(from, 'any.js'), try: true });
    return url === undefined ? null : url.startsWith('file:') ? fileURLToPath(url) : url;
  }

  async #load(path: string): Promise<Record<string, unknown>> {
    const load = () => this.#loader().import<Record<string, unknown>>(path);
    return { ...(await holdingStrays(path, load)) };
  }

  async #timeout(signal: AbortSignal): Promise<null> {
    return sleep(this.loadMs, null, { signal }).catch(() => null);
  }

  #loader(): Jiti {
    // Where nobody has written a module, nothing compiles one.
    const { createJiti } = require('jiti') as typeof Jitis;
    this.#jiti ??= createJiti(import.meta.url, {
      alias: PROVIDED,
      nativeModules: ['zod'],
      // A cache on the disk would be one more place from which code runs.
      fsCache: false,
      interopDefault: false,
    });
    return this.#jiti;
  }
}

/**
 * Runs code of others. A promise of theirs that fails with nobody waiting for it is their fault and would end this process; what else
 * fails meanwhile is heard by who hears it otherwise.
 */
async function holdingStrays<T>(path: string, run: () => Promise<T>): Promise<T> {
  const others = process.listeners('unhandledRejection');
  const strays: unknown[] = [];
  const hear = (reason: unknown, promise: Promise<unknown>): void => {
    if (!types.isNativeError(reason) || reason.stack?.includes(path)) strays.push(reason);
    else if (others.length === 0) throw reason;
    else for (const other of others) other(reason, promise);
  };
  for (const other of others) process.off('unhandledRejection', other);
  process.on('unhandledRejection', hear);
  try {
    const result = await run();
    await setImmediate(); // Node tells of a stray after the code that made it has given control back.
    if (strays.length > 0) throw strays[0];
    return result;
  } finally {
    process.off('unhandledRejection', hear);
    for (const other of others) process.on('unhandledRejection', other);
  }
}

/** The first line of what was thrown, and the place in the file that its text, its stack or the text of the file names. */
function flawOf(error: unknown, path: string, source: string): Flaw {
  // Not `instanceof`: the code may have been run in a context with an Error of its own.
  const text = types.isNativeError(error) ? error.message : errorText(error);
  const stack = types.isNativeError(error) ? (error.stack ?? '') : '';
  const [message = ''] = text.split('\n');
  const said = message.startsWith('ParseError: ')
    ? message.replace('ParseError: ', 'cannot be read: ')
    : `failed while it was loaded: ${message}`;
  const at = `${text}\n${stack}`.split(`${path}:`)[1];
  const line =
    Number(/^\d+/.exec(at ?? '')?.[0] ?? 0) || lineWith(/^Cannot find .*?'(.*?)'/.exec(message)?.[1], source);
  return { line: line === 0 ? null : line, message: said.trim() };
}

/** The line that imports something; 0 when none does. */
function lineWith(imported: string | undefined, source: string): number {
  return imported === undefined ? 0 : source.split('\n').findIndex((line) => line.includes(imported)) + 1;
}
