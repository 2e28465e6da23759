/** Folders that are made once, by whichever worker comes first, and never changed. */
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';

/** Fills a folder beside the place and renames it there, so that what is there is whole. Others may read it, whatever the umask is. */
export function makeOnce(place: string, fill: (folder: string) => void): void {
  const made = `${place}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  fill(made);
  chmodSync(made, 0o755);
  try {
    renameSync(made, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    rmSync(made, { recursive: true, force: true });
    // Made before, or meanwhile by another worker: the same files.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}
