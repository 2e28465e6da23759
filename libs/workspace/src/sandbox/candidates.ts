/** The sandboxes that this machine may have, the best first. */
import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { AppError, NO_RULES } from '@bullpen/contracts';
import { runCommand } from '../processes/run-command.js';
import { bubblewrap, type BubblewrapOptions } from './bubblewrap.js';
import type { SandboxCandidate } from './choose.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import { container } from './container.js';
import { Engine, type EngineName } from './engine.js';
import type { Sandbox, SandboxLevel } from './sandbox.js';

export interface CandidateOptions extends BubblewrapOptions {
  readonly user: CommandUser | null;
  /** Image for containers. Whoever names one wants its programs, so an engine then comes first. */
  readonly image?: string | undefined;
}

export function sandboxCandidates(options: CandidateOptions): SandboxCandidate[] {
  const inBubblewrap = candidate('bubblewrap', options, () => bubblewrap(options));
  const { image } = options;
  if (image === undefined) return [inBubblewrap];
  const inContainer = (name: EngineName): SandboxCandidate =>
    candidate(name, options, async () => {
      const engine = new Engine(name);
      await engine.removeLeftovers();
      return container({ ...options, engine, image });
    });
  return [inContainer('docker'), inContainer('podman'), inBubblewrap];
}

function candidate(
  level: SandboxLevel,
  options: CandidateOptions,
  make: () => Sandbox | Promise<Sandbox>,
): SandboxCandidate {
  return {
    level,
    prepare: async () => {
      const sandbox = await make();
      await tryOut(sandbox, options);
      return sandbox;
    },
  };
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
