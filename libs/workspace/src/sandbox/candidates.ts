/** The sandboxes that this machine may have, the best first. */
import { AppError } from '@bullpen/contracts';
import { bubblewrap, type BubblewrapOptions } from './bubblewrap.js';
import type { SandboxCandidate } from './choose.js';
import type { CommandUser } from './command-user.js';
import { container } from './container.js';
import { Engine, type EngineName } from './engine.js';
import type { Sandbox, SandboxLevel } from './sandbox.js';
import { Trial } from './trial.js';

export interface CandidateOptions extends BubblewrapOptions {
  readonly user: CommandUser | null;
  /** Image for containers. Whoever names one wants its programs, so an engine then comes first. */
  readonly image?: string | undefined;
}

/** Bubblewrap, and containers where an image for them is set. None is tried yet. */
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

/** One command, as the user and with the profile of all later ones. */
async function tryOut(sandbox: Sandbox, options: CandidateOptions): Promise<void> {
  const { exitCode, output } = await new Trial(options, 'trial').run(sandbox, 'echo here');
  if (exitCode === 0 && output === 'here\n') return;
  throw new AppError('tool_failed', `A command in the sandbox ended with ${exitCode}: ${output.trim()}`);
}
