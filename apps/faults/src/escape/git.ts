/** Git as a person uses it in a workspace, outside of any box. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { escaped, type Finding } from './finding.js';
import type { Arena } from './arena.js';

/** Whoever owns the folder: a person would own what they work on. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nowhere',
  ...{ GIT_CONFIG_COUNT: '3', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  ...{ GIT_CONFIG_KEY_1: 'user.name', GIT_CONFIG_VALUE_1: 'a person' },
  ...{ GIT_CONFIG_KEY_2: 'user.email', GIT_CONFIG_VALUE_2: 'person@example.com' },
};

/** What it says; null when it fails. */
export function git(folder: string, ...args: readonly string[]): string | null {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', args, {
      cwd: folder,
      env: ENVIRONMENT,
      encoding: 'utf8',
      stdio: [...stdio],
      timeout: 5_000,
    });
  } catch {
    return null;
  }
}

/** A repository with one commit, for a workspace. */
export function commitAll(arena: Arena): void {
  git(arena.workspace, 'init', '-q', '-b', 'main');
  git(arena.workspace, 'add', '-A');
  if (git(arena.workspace, 'commit', '-qm', 'first') === null) throw new Error('git made no commit');
  arena.giveAll(arena.workspace);
}

/** Made by programs that a command planted. */
export const MARK = 'RAN';

/** What a person, or their editor, does in every folder of the workspace. */
export function workAsPerson({ workspace }: Arena): readonly Finding[] {
  const folders = execFileSync(
    'find',
    [workspace, '-maxdepth', '3', '-type', 'd', '-not', '-path', '*/.git/*'],
    {
      encoding: 'utf8',
    },
  );
  for (const folder of folders
    .split('\n')
    .filter((each) => each !== '')
    .slice(0, 30))
    for (const args of [['status'], ['diff'], ['log', '-p', '-1'], ['checkout', '-q', '-B', 'mine']])
      git(folder, ...args);
  return existsSync(join(workspace, MARK)) ? [escaped('what was planted ran outside')] : [];
}
