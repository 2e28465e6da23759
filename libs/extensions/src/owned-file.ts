/**
 * Reads files that decide what agents may do, or that run as the installation itself: nobody but its owner may be able to change
 * them, least of all a command of an agent.
 */
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { errorText } from '@bullpen/contracts';

/** Far more than a prompt may hold. */
const MAX_BYTES = 512 * 1024;

/** A folder whose files may be used, and who may have written them. */
export interface OwnedFolder {
  readonly path: string;
  /** Users whose files count as the installation's own; null: not checked (what ships with the product). */
  readonly owners: readonly number[] | null;
}

/**
 * Root and ourselves. Unless we are root, whose commands of agents run as another user, also whoever owns the folder: only we can
 * have let it into our home, as the mount of a container is.
 */
export function ownedFolder(path: string): OwnedFolder {
  const own = process.getuid?.();
  if (own === undefined) return { path, owners: null };
  const stats = own === 0 ? undefined : statSync(path, { throwIfNoEntry: false });
  return { path, owners: [0, own, ...(stats ? [stats.uid] : [])] };
}

/** The text of a file in plain `\n` lines without a byte order mark, or the reason why it is not used. Never throws. */
export function readOwned(path: string, { owners }: OwnedFolder): { text: string } | { refused: string } {
  try {
    const real = realpathSync(path);
    const refused = owners && strangerIn(real, owners);
    if (refused !== null) return { refused };
    const stats = statSync(real);
    if (!stats.isFile()) return { refused: 'is not a regular file' };
    if (stats.size > MAX_BYTES)
      return { refused: `is too large: ${stats.size} bytes, where ${MAX_BYTES} are allowed` };
    return textOf(readFileSync(real));
  } catch (error) {
    return { refused: `cannot be read: ${errorText(error)}` };
  }
}

/** Who else could change what the path leads to: by writing to the file, or by putting another in its place. */
function strangerIn(real: string, owners: readonly number[]): string | null {
  for (let path = real; ; path = dirname(path)) {
    const refused = changedByOthers(path, statSync(path), owners);
    if (refused !== null || path === dirname(path)) return refused;
  }
}

function changedByOthers(path: string, stats: Stats, owners: readonly number[]): string | null {
  if (!owners.includes(stats.uid))
    return `is refused: ${path} belongs to another user (${stats.uid}), who could change it; run: chown ${process.getuid?.() ?? 0} ${path}`;
  // In a folder like /tmp everybody may write, but not touch what others own.
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if ((stats.mode & 0o022) === 0 || isSticky) return null;
  return `is refused: others could change ${path} (its mode is ${(stats.mode & 0o777).toString(8)}); run: chmod go-w ${path}`;
}

function textOf(bytes: Buffer): { text: string } | { refused: string } {
  if (bytes.includes(0)) return { refused: 'is not text: it holds a NUL character' };
  try {
    // The decoder also takes off a byte order mark.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text: text.replaceAll(/\r\n?/g, '\n') };
  } catch {
    // Thrown for exactly one reason.
    return { refused: 'is not UTF-8 text; save it as UTF-8' };
  }
}
