/** Whether commands would have a sandbox on this machine, found out by running one in it. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSandbox, nobodyUser, sandboxCandidates } from '@bullpen/workspace';
import type { Context } from '../context.js';

/** What a worker with these settings would find. */
export async function hasSandbox(env: Context['env']): Promise<boolean> {
  if (env['SANDBOX'] === 'off') return false;
  const stateFolder = await mkdtemp(join(tmpdir(), 'bullpen-sandbox-'));
  try {
    // The command's user goes through it.
    await chmod(stateFolder, 0o711);
    const user = await nobodyUser(env['COMMAND_USER']);
    const candidates = sandboxCandidates({ stateFolder, user, image: env['SANDBOX_IMAGE'] });
    return (await chooseSandbox('auto', candidates)).sandbox.level !== 'none';
  } finally {
    await rm(stateFolder, { recursive: true, force: true });
  }
}
