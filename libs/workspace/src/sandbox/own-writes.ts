/**
 * What tools write with a person's consent while commands run beside them: it is not taken back when these end, whatever its name. Files
 * are known by device and inode, and only for as long as some command runs.
 */
import type { Stats } from 'node:fs';

const written = new Set<string>();
let running = 0;

/** To be called with the facts about a file that a tool has just written. */
export function noteOwnWrite({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): void {
  if (running > 0) written.add(`${dev}:${ino}`);
}

/** Whether a tool wrote the file since the first of the running commands started. */
export function isOwnWrite(inode: string): boolean {
  return written.has(inode);
}

/** To be called when a command starts; gives what is to be called when the workspace has been looked after. */
export function commandRuns(): () => void {
  running += 1;
  return () => {
    running -= 1;
    if (running === 0) written.clear();
  };
}
