/** Facts about files by text alone, for lines that are judged apart from any workspace. */
import { tidyPath } from './paths.js';
import type { CommandContext } from './types.js';

export interface LexicalFacts {
  readonly root?: string;
  readonly cwd?: string;
  /** Names of tools that count as installed; by default every tool that the policy knows. */
  readonly localPrograms?: ReadonlySet<string>;
}

/**
 * A context without a file system: a path is inside when its text stays below `root`. It knows of no links, so it is fit for
 * tests and for trying lines, not for deciding about a real workspace.
 */
export function lexicalContext({
  root = '/workspace',
  cwd = root,
  localPrograms,
}: LexicalFacts = {}): CommandContext {
  return {
    root,
    cwd,
    placeOf: (path) => {
      const tidy = tidyPath(path);
      return tidy === root || tidy.startsWith(`${root}/`) ? 'inside' : 'outside';
    },
    hasLocalProgram: (name) => localPrograms?.has(name) ?? true,
  };
}
