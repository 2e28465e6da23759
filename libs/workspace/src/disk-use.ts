/** What files take on a disk. */
import { execFile } from 'node:child_process';
import { homeOf } from './sandbox/command-user.js';

/** Larger trees than anybody works on are measured within this time. */
const LIMIT_MS = 120_000;

/**
 * Bytes that a workspace takes, with the home folder of its commands and the other places given; what is not there takes none. By `du`, which
 * follows no link, counts hard links once and does not keep this process from its work. Null when that cannot be found out.
 */
export async function diskUse(
  folder: string,
  { homesRoot, others, path }: { homesRoot: string; others: readonly string[]; path: string },
  signal: AbortSignal,
): Promise<number | null> {
  const places = [folder, homeOf(homesRoot, folder), ...others];
  const listed = await kilobytes(['-sk', '--', ...places], path, signal);
  const sizes = listed.split('\n').flatMap((line) => /^(\d+)\t/.exec(line)?.[1] ?? []);
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + Number(size) * 1_024, 0);
}

/** Also when some of it could not be read, or is not there: then the rest is what can be said. */
function kilobytes(args: readonly string[], path: string, signal: AbortSignal): Promise<string> {
  const options = { env: { PATH: path, LC_ALL: 'C' }, timeout: LIMIT_MS, signal, maxBuffer: 10_000_000 };
  return new Promise((resolve, reject) => {
    execFile('du', args, options, (error, stdout) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (error !== null && typeof error.code !== 'number') resolve('');
      else resolve(stdout);
    });
  });
}
