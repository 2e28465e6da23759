/** What an agent would else find out with its first calls: system, folder, git, programs, and how the project is checked. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { release, type as systemName } from 'node:os';
import path from 'node:path';
import { gitRunsNothing } from '../git-settings.js';
import { GitFailed, runGit } from '../git/run-git.js';
import { readText } from './read-text.js';

export interface EnvironmentFacts {
  readonly workspacePath: string;
  /** Where commands find programs, as in PATH. Null: the agent runs none. */
  readonly commandPath: string | null;
  /** What holds the commands, in words; null: the agent runs none. */
  readonly commands: string | null;
  /** Where git is found. */
  readonly gitPath: string;
  readonly now: Date;
}

const GIT_MS = 5_000;
/** Named when they are there. What is missing is no news; a version can be asked for. */
const PROGRAMS =
  'node npm pnpm yarn bun deno python3 pip uv go cargo rustc java mvn gradle dotnet ruby php gcc clang make cmake docker git rg jq curl psql'.split(
    ' ',
  );

/** Lines of facts. Nothing in them is an order, and nothing that changes by the minute is among them. */
export async function environmentText(facts: EnvironmentFacts, signal: AbortSignal): Promise<string> {
  const { workspacePath, commandPath, commands, now } = facts;
  const names = await namesIn(workspacePath);
  const lines = [
    `System: ${systemName()} ${release().split('-')[0] ?? ''}`,
    `Workspace folder: ${workspacePath} (paths in calls are relative to it)${names.length === 0 ? '; it is empty' : ''}`,
    await gitLine(facts, signal),
    `Date: ${dayOf(now)}`,
  ];
  if (commandPath !== null && commands !== null) {
    lines.push(
      `Commands: ${commands}`,
      `Programs found: ${programsIn(commandPath).join(', ') || 'none of the usual'}`,
    );
    const checks = await checksOf(workspacePath, names);
    if (checks.length > 0) lines.push(`Checks that the project names (not tried): ${checks.join('; ')}`);
  }
  return lines.join('\n');
}

/** The date in UTC. */
function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  // One that cannot be read says so with the first call.
  return readdir(folder).catch(() => []);
}

/** Git looks only where it runs nothing but itself, for what it would run is whatever the workspace says. */
async function gitLine({ workspacePath, gitPath }: EnvironmentFacts, signal: AbortSignal): Promise<string> {
  if (lstatSync(path.join(workspacePath, '.git'), { throwIfNoEntry: false }) === undefined)
    return 'Git: the folder is not the top of a repository';
  if (!gitRunsNothing(workspacePath))
    return 'Git: a repository with settings of its own; look at it yourself';
  const both = AbortSignal.any([signal, AbortSignal.timeout(GIT_MS)]);
  const git = (...args: string[]) =>
    runGit(
      ['--no-optional-locks', ...args],
      { folder: workspacePath, path: gitPath, config: { 'safe.directory': '*' } },
      both,
    );
  try {
    const status = (await git('status', '--porcelain', '--branch')).trimEnd().split('\n');
    const branch = /^## (?:No commits yet on )?(.+?)(?:\.\.\.|$)/.exec(status[0] ?? '')?.[1] ?? 'unknown';
    const changed = status.length - 1;
    const subjects = status[0]?.startsWith('## No commits')
      ? ''
      : (await git('log', '-3', '--format=%s')).trim();
    const commits =
      subjects === ''
        ? 'no commits'
        : `last commits: ${subjects
            .split('\n')
            .map((line) => JSON.stringify(line.slice(0, 100)))
            .join(', ')}`;
    return `Git: branch ${branch}, ${changed === 0 ? 'clean' : `${changed} changed files that are not yours`}, ${commits}`;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitFailed || both.aborted) return 'Git: a repository that could not be read in time';
    throw error;
  }
}

function programsIn(commandPath: string): readonly string[] {
  const folders = commandPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return PROGRAMS.filter((name) => folders.some((folder) => isProgram(path.join(folder, name))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not for us.
    return false;
  }
}

/** Commands that the project's own files name for building and checking. */
async function checksOf(workspacePath: string, names: readonly string[]): Promise<readonly string[]> {
  const checks: string[] = [];
  if (names.includes('package.json')) {
    const text = (await readText(workspacePath, 'package.json', 200_000))?.text ?? '';
    const manager = names.includes('pnpm-lock.yaml')
      ? 'pnpm'
      : names.includes('yarn.lock')
        ? 'yarn'
        : names.includes('bun.lock')
          ? 'bun'
          : 'npm';
    checks.push(...scriptsOf(text).map((script) => `${manager} run ${script}`));
  }
  if (names.includes('Makefile')) {
    const text = (await readText(workspacePath, 'Makefile', 200_000))?.text ?? '';
    checks.push(
      ...['check', 'test', 'lint', 'build']
        .filter((target) => new RegExp(`^${target}\\s*:`, 'm').test(text))
        .map((target) => `make ${target}`),
    );
  }
  if (names.includes('Cargo.toml')) checks.push('cargo test');
  if (names.includes('go.mod')) checks.push('go test ./...');
  if (names.includes('pyproject.toml') || names.includes('pytest.ini')) checks.push('pytest');
  if (names.includes('pom.xml')) checks.push('mvn test');
  return checks;
}

function scriptsOf(manifest: string): readonly string[] {
  try {
    const { scripts } = JSON.parse(manifest) as { scripts?: unknown };
    const known = typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : [];
    return ['check', 'build', 'typecheck', 'lint', 'test'].filter((name) => known.includes(name));
  } catch {
    // Not ours to mend: the agent will see.
    return [];
  }
}
