/** What Bullpen finds on the machine: Node, git, ripgrep, a user for commands; and what it does not have. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { builtScripts } from '../stack/plan.js';
import { firstLineOf, type Check } from './check.js';

/** All checks of the machine. `commandUser` is the user that commands run as when we are root. */
export async function machineChecks(commandUser: string): Promise<Check[]> {
  const programs = [checkGit(), checkRipgrep(), checkCommandUser(commandUser)];
  return [checkNode(), checkBuild(), ...(await Promise.all(programs))];
}

function checkNode(): Check {
  const { version } = process;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  const proof = `process.version is ${version}`;
  return enough
    ? { name: 'Node.js', status: 'ok', proof }
    : { name: 'Node.js', status: 'fail', proof, fix: 'install Node.js 20.19 or newer' };
}

function checkBuild(): Check {
  const missing = Object.entries(builtScripts()).filter(([, path]: [string, string]) => !existsSync(path));
  if (missing.length === 0)
    return { name: 'Build', status: 'ok', proof: 'gateway, worker and simulator are built' };
  const proof = `missing: ${missing.map(([, path]) => String(path)).join(', ')}`;
  return { name: 'Build', status: 'fail', proof, fix: 'npm run build' };
}

async function checkGit(): Promise<Check> {
  const version = await firstLineOf('git', ['--version']);
  if (version !== null) return { name: 'git', status: 'ok', proof: `git --version: ${version}` };
  const fix = 'install git: without it, tasks run without checkpoints, and nothing can be cloned';
  return { name: 'git', status: 'warn', proof: 'git --version failed', fix };
}

async function checkRipgrep(): Promise<Check> {
  const path = ripgrepPath();
  const version = path === null ? null : await firstLineOf(path, ['--version']);
  if (version !== null) return { name: 'ripgrep', status: 'ok', proof: `${path} --version: ${version}` };
  const proof = path === null ? '@vscode/ripgrep is not installed' : `${path} does not run`;
  return { name: 'ripgrep', status: 'fail', proof, fix: 'npm ci (agents search files with it)' };
}

/** The tools' library depends on it; from here it is found through the repository's node_modules. */
function ripgrepPath(): string | null {
  try {
    const loaded: unknown = createRequire(import.meta.url)('@vscode/ripgrep');
    return typeof loaded === 'object' && loaded !== null && 'rgPath' in loaded ? String(loaded.rgPath) : null;
  } catch {
    // Not installed: that is the answer.
    return null;
  }
}

async function checkCommandUser(user: string): Promise<Check> {
  const name = 'Command user';
  if (process.getuid?.() !== 0)
    return { name, status: 'ok', proof: 'not root: commands run as the user that Bullpen runs as' };
  const id = await firstLineOf('id', ['-u', user]);
  if (id !== null && id !== '0')
    return { name, status: 'ok', proof: `root: commands run as ${user} (id -u: ${id})` };
  return {
    name,
    status: 'fail',
    proof: `root, and there is no unprivileged user ${user}`,
    fix: 'set COMMAND_USER to such a user, or do not run as root',
  };
}
