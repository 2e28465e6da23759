/** Folders of our own, with the mode that is meant, whatever the umask and whatever an older version made. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** For us alone. */
export const OURS = 0o700;
/** Commands of agents, or a server that we start, run as another user and have to pass through; they cannot look. */
export const OURS_TO_PASS = 0o711;

/** The mode of a folder that holds what belongs to another user when we are root, and to us otherwise. */
export function passedByOthers(): number {
  return process.getuid?.() === 0 ? OURS_TO_PASS : OURS;
}

/** Makes the folder, with those above it, when it is not there, and sees to its mode. One that belongs to somebody else keeps it. */
export function ownFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
  const found = statSync(path);
  if ((found.mode & 0o7777) !== mode && isOurs(found.uid)) chmodSync(path, mode);
}

/**
 * The same for a home that people named: what is there already may be used by more than us, so it only loses what nobody else
 * needs, which is to read and to write. A folder that all may write to (as /tmp) is nobody's home and stays as it is.
 */
export function ownHome(path: string): void {
  const created = mkdirSync(path, { recursive: true, mode: OURS });
  if (created !== undefined) return chmodSync(path, OURS);
  const { mode, uid } = statSync(path);
  const isShared = (mode & 0o1000) !== 0;
  if ((mode & 0o066) !== 0 && !isShared && isOurs(uid)) chmodSync(path, mode & 0o7711);
}

function isOurs(uid: number): boolean {
  return process.getuid?.() === uid;
}
