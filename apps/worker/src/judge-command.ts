/** The command policy with the facts of a real workspace: where paths lead at this moment, which tools are installed there. */
import { accessSync, constants, realpathSync } from 'node:fs';
import path from 'node:path';
import { judgeCommand as judgeLine, type CommandContext, type CommandVerdict } from '@bullpen/command-policy';
import { protectionOf, type CommandSettings } from '@bullpen/core';
import { HiddenPaths, placeOfPath } from '@bullpen/workspace';

/**
 * The verdict on a line that would start in `cwd`, relative to the workspace. Never throws. The answer holds for its moment: a
 * call that waited for a person is judged again before it runs.
 */
export function judgeCommand(
  line: string,
  settings: CommandSettings,
  workspacePath: string,
  cwd: string,
): CommandVerdict {
  return judgeLine(line, settings, commandContext(workspacePath, cwd, settings));
}

function commandContext(workspacePath: string, cwd: string, { files }: CommandSettings): CommandContext {
  const root = realOf(workspacePath);
  const hidden = HiddenPaths.of(root);
  const placeOf: CommandContext['placeOf'] = (given) => {
    const { place, relative } = placeOfPath(root, given, hidden);
    return place === 'inside' && protectionOf(relative ?? '', files) !== null ? 'protected' : place;
  };
  return {
    root,
    cwd: path.resolve(root, cwd),
    placeOf,
    hasLocalProgram: (name, folder) => hasLocalProgram(name, path.resolve(folder), root),
  };
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Gone: then nothing is inside it, and every path is asked about.
    return path.resolve(folder);
  }
}

/** npx runs what the nearest `node_modules/.bin` holds, from the folder up. */
function hasLocalProgram(name: string, folder: string, root: string): boolean {
  if (!/^[\w.-]+$/.test(name)) return false;
  for (let current = folder; ; current = path.dirname(current)) {
    if (current !== root && !current.startsWith(`${root}/`)) return false;
    if (isExecutable(path.join(current, 'node_modules/.bin', name))) return true;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
