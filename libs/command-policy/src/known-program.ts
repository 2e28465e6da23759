/** Which program runs: by its exact spelling, where bash finds it. Folder, case and suffix make another program of it. */
import type { LineState } from './line-state.js';
import { isBuiltin, isNodeTool } from './programs/index.js';

export interface KnownProgram {
  /** The name under which the tables know it. */
  readonly name: string;
  /** Whether what runs is a file of the project, which may do more than the program of that name. */
  readonly isProjectCode: boolean;
}

/**
 * The program behind a word, or null when it may be any. `byShell`: the shell itself looks for it, and so takes a builtin first;
 * a program that runs another one does not.
 */
export function knownProgram(word: string, byShell: boolean, state: LineState): KnownProgram | null {
  if (byShell && isBuiltin(word)) return { name: word, isProjectCode: false };
  const name = word.slice(word.lastIndexOf('/') + 1);
  // A file of that name is not what bash does itself: it takes the shell nowhere.
  if (/^(cd|export|set|exit|wait|type|command|:)$/.test(name)) return null;
  const places = state.folders.map((folder) => state.context.programAt(word, folder));
  const isSafe = places.every(
    (place) => place === 'system' || place === 'missing' || (place === 'open' && isUnchanged(state)),
  );
  if (isSafe) return { name, isProjectCode: false };
  // Tools that a project brings along: those of its package manager, and the wrappers of its build.
  const isOwnTool = places.every((place) => place === 'tool') && isNodeTool(name);
  return isOwnTool || /^\.\/(gradlew|mvnw)$/.test(word) ? { name, isProjectCode: true } : null;
}

function isUnchanged({ writes, moved }: LineState): boolean {
  return writes.length === 0 && moved.length === 0;
}
