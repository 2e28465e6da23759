/** Names an installation folder: processes that share it share everything in it, and no others do. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'home-id';

/** The name of the folder, which it keeps; it is given one when it has none. Of several processes at once the first one wins. */
export function homeId(home: string): string {
  const file = join(home, FILE);
  const known = read(file);
  if (known !== null) return known;
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, `home_${randomUUID()}\n`, { mode: 0o600 });
  try {
    // A link appears whole or not at all, and never takes the place of another.
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}

function read(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? null : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
