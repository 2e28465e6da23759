/** The sandboxes that this machine may have, the best first. */
import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { AppError, NO_RULES } from '@bullpen/contracts';
import { runCommand } from '../processes/run-command.js';
import { bubblewrap, type BubblewrapOptions } from './bubblewrap.js';
import type { SandboxCandidate } from './choose.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import type { Sandbox } from './sandbox.js';

export interface CandidateOptions extends BubblewrapOptions {
  readonly user: CommandUser | null;
}

export function sandboxCandidates(options: CandidateOptions): SandboxCandidate[] {
  return [
    {
      level: 'bubblewrap',
      prepare: async () => {
        const sandbox = bubblewrap(options);
        await tryOut(sandbox, options);
        return sandbox;
      },
    },
  ];
}

/** Runs one command, as the user and with the profile of all later ones. */
async function tryOut(sandbox: Sandbox, { stateFolder, user }: CandidateOptions): Promise<void> {
  const dropped = userToDropTo(user);
  const [workspacePath, home] = ['trial/workspace', 'trial/home'].map((name) => {
    const folder = path.join(stateFolder, name);
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    if (dropped !== null) chownSync(folder, dropped.uid, dropped.gid);
    return folder;
  }) as [string, string];
  const spec = {
    ...{ command: 'echo here', workspacePath, cwd: workspacePath, home, user },
    ...{ path: '/usr/bin:/bin', files: NO_RULES.files, network: NO_RULES.network, timeoutMs: 10_000 },
  };
  const { exitCode, output } = await runCommand(sandbox, spec, AbortSignal.timeout(30_000));
  if (exitCode === 0 && output === 'here\n') return;
  throw new AppError('tool_failed', `A command in the sandbox ended with ${exitCode}: ${output.trim()}`);
}
