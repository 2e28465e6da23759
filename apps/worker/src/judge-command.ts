/** The command policy with the facts of a real workspace. */
import { judgeCommand } from '@bullpen/command-policy';
import type { LoopDeps } from '@bullpen/core';
import { commandFacts } from '@bullpen/workspace';

/**
 * Judges lines whose commands would have this PATH, in a box of the kernel or not. Never throws. A verdict holds for its moment: a
 * call that waited for a person is judged again before it runs.
 */
export function commandJudge(searchPath: string, boxed: boolean): LoopDeps['judgeCommand'] {
  return (line, settings, workspacePath, cwd) => {
    const { files, openedHosts } = settings;
    return judgeCommand(
      line,
      settings,
      commandFacts(workspacePath, { cwd, searchPath, files, boxed, openedHosts }),
    );
  };
}
