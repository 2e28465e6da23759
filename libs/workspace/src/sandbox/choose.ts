/** Which sandbox commands get on this machine: the best that works, as the setting SANDBOX asks for it. */
import { AppError } from '@bullpen/contracts';
import type { Sandbox, SandboxLevel } from './sandbox.js';
import { unboxed } from './unboxed.js';

/** `auto`: the best that works. `required`: no command without one. `off`: none, for those who have another boundary. */
export type SandboxMode = 'auto' | 'required' | 'off';

/** One way to hold commands. In a list, the better one stands first. */
export interface SandboxCandidate {
  readonly level: SandboxLevel;
  /** Tries it out on this machine. Throws `tool_failed`, with a text that says why it does not work and what to do. */
  readonly prepare: () => Promise<Sandbox>;
}

export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  /** Why the better ones do not work, each with what to do. */
  readonly problems: readonly string[];
}

/**
 * The first candidate that works, with the reasons against those before it. Where none does, the mode decides between no box and
 * no command.
 */
export async function chooseSandbox(
  mode: SandboxMode,
  candidates: readonly SandboxCandidate[],
): Promise<ChosenSandbox> {
  if (mode === 'off') return { sandbox: unboxed(), problems: [] };
  const problems: string[] = [];
  for (const { level, prepare } of candidates) {
    try {
      return { sandbox: await prepare(), problems };
    } catch (error) {
      problems.push(`${level}: ${(error as Error).message}`);
    }
  }
  return { sandbox: mode === 'required' ? refusing(problems) : unboxed(), problems };
}

/** Runs nothing: better no command than one that nothing holds. */
function refusing(problems: readonly string[]): Sandbox {
  const why = problems.join('; ');
  return {
    level: 'none',
    start: () =>
      Promise.reject(
        new AppError(
          'tool_failed',
          `Commands are refused: SANDBOX=required, and no sandbox works here (${why})`,
        ),
      ),
  };
}
