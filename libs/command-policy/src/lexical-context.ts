/** Facts about files by text alone, for lines that are judged apart from any workspace. */
import { tidyPath } from './paths.js';
import type { CommandContext, ProgramPlace } from './types.js';

export interface LexicalFacts {
  readonly root?: string;
  readonly cwd?: string;
  /** Names of tools that count as installed; by default every tool that the policy knows. */
  readonly localPrograms?: ReadonlySet<string>;
  /** Whether a path, relative to the root, may not be written. @defaultValue none */
  readonly isProtected?: (path: string) => boolean;
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
  localPrograms,
  isProtected = () => false,
  boxed = false,
  openedHosts = [],
}: LexicalFacts = {}): CommandContext {
  return {
    root,
    cwd,
    seesFiles: false,
    boxed,
    openedHosts,
    placeOf: (path) => {
      const tidy = tidyPath(path);
      if (tidy !== root && !tidy.startsWith(`${root}/`)) return 'outside';
      return isProtected(tidy.slice(root.length + 1)) ? 'protected' : 'inside';
    },
    look: () => 'unknown',
    programAt: programByText,
    hasLocalProgram: (name) => localPrograms?.has(name) ?? true,
    gitPaths: () => [],
    holdsNoCredentials: () => false,
  };
}

/** A name is that of the system's program, wherever it may be; a path is known only where programs are kept. */
function programByText(word: string): ProgramPlace {
  if (/^(\.\/)?node_modules\/\.bin\/[^/]+$/.test(word)) return 'tool';
  return !word.includes('/') || /^(\/usr)?\/bin\/[^/]+$/.test(word) ? 'system' : 'project';
}
