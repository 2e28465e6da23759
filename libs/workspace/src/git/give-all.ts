import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommandUser } from '../sandbox/command-user.js';

/** Gives a folder with all that is in it, which nobody else can enter yet. Nothing happens without an owner, or when we are not root. */
export async function giveAll(folder: string, owner: CommandUser | null, signal: AbortSignal): Promise<void> {
  if (owner === null || process.getuid?.() !== 0) return;
  await promisify(execFile)('chown', ['-Rh', `${owner.uid}:${owner.gid}`, '--', folder], { signal });
}
