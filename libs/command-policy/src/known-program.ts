/** Which program runs: by its exact spelling, where bash finds it. Folder, case and suffix make another program of it. */
import type { Call } from './call.js';
import type { LineState } from './line-state.js';

const BUILTINS = /^(:|true|false|echo|printf|pwd|test|\[|cd|exit|type|command)$/;

/**
 * The name under which the table knows what a word runs, or null when it may be any program. `byShell`: the shell itself looks for
 * it, and so takes a builtin first; a program that runs another one does not.
 */
export function knownProgram(word: string, byShell: boolean, { folders, context }: LineState): string | null {
  if (byShell && BUILTINS.test(word)) return word;
  const name = word.slice(word.lastIndexOf('/') + 1);
  // A file of that name is not what bash does itself: it takes the shell nowhere.
  if (/^(cd|exit|type|command|:)$/.test(name)) return null;
  return folders.some((folder) => context.programAt(word, folder) === 'project') ? null : name;
}

/** Whether it is the wrapper of that name; one of the project may do anything else. */
export function isKnownWrapper({ name, program, state, wrappers = 0 }: Call): boolean {
  return knownProgram(name.value, wrappers === 0, state) === program && !name.quoted;
}
