/** Facts about files by text alone, for lines that are judged apart from any workspace. */
import { tidyPath } from './paths.js';
import type { CommandContext, ProgramPlace } from './types.js';

export interface LexicalFacts {
  readonly root?: string;
  readonly cwd?: string;
  /** Whether a box of the kernel would hold the commands. @defaultValue false */
  readonly boxed?: boolean;
  readonly openedHosts?: readonly string[];
}

/**
 * A context without a file system: a path is inside when its text stays below `root`. It knows of no links, so it is fit for
 * tests and for trying lines, not for deciding about a real workspace.
 */
export function lexicalContext({
  root = '/workspace',
  cwd = root,
  boxed = false,
  openedHosts = [],
}: LexicalFacts = {}): CommandContext {
  return {
    root,
    cwd,
    seesFiles: false,
    boxed,
    openedHosts,
    placeOf: (path) => (`${tidyPath(path)}/`.startsWith(`${root}/`) ? 'inside' : 'outside'),
    look: () => 'unknown',
    programAt: programByText,
    gitPaths: () => [],
    gitRunsNothing: () => true,
    holdsNoCredentials: () => false,
  };
}

/** A name is that of the system's program, wherever it may be; a path is known only where programs are kept. */
function programByText(word: string): ProgramPlace {
  return !word.includes('/') || /^(\/usr)?\/bin\/[^/]+$/.test(word) ? 'system' : 'project';
}
