/** Installs the peers, once for each lock file, beside the results of the bench. They are no part of the product's own `npm ci`. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorText } from '@bullpen/contracts';

/** Their package.json and lock file. */
const SOURCE = fileURLToPath(new URL('../../peers/', import.meta.url));

/** A folder with their packages, or why there is none. */
export type Installed = { readonly folder: string } | { readonly problem: string };

/**
 * Gives the folder below `cache` in which the peers are installed, and installs them first where they are not. Never throws: without a
 * registry the bench goes on without them.
 */
export async function installPeers(
  cache: string,
  say: (text: string) => void,
  npmOptions: readonly string[] = [],
): Promise<Installed> {
  try {
    const lock = await readFile(join(SOURCE, 'package-lock.json'));
    const folder = join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 12));
    if (await exists(folder)) return { folder };
    say('installing the peers');
    // Made aside: a folder of that name is complete, also when two runs install at once.
    const aside = `${folder}.${process.pid}`;
    await mkdir(cache, { recursive: true });
    await cp(SOURCE, aside, { recursive: true });
    try {
      await npmCi(aside, npmOptions);
      if (!(await exists(folder))) await rename(aside, folder);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    return { folder };
  } catch (error) {
    return { problem: `not installed: ${errorText(error)}` };
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Throws with what npm said first. */
async function npmCi(folder: string, options: readonly string[]): Promise<void> {
  const npm = spawn(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...options],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once('error', reject);
    npm.once('close', resolve);
  });
  if (code === 0) return;
  const reasons = said.split('\n').flatMap((line) => /^npm error (?!code )(.+)/.exec(line)?.[1] ?? []);
  throw new Error(`npm ci: ${reasons[0] ?? `ended with code ${code}`}`);
}
