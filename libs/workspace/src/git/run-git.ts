/** Runs git on repositories that are ours, with nothing of the machine's or a user's configuration, and nothing that asks or waits. */
import { execFile } from 'node:child_process';

/** Where and how git runs. */
export interface GitRun {
  readonly folder: string;
  /** Where git and its helpers are found, as in PATH. */
  readonly path: string;
  /** Settings for this run; they are in the environment of git, and so in no list of processes. */
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What git reads. */
  readonly input?: Buffer;
  /** What addresses may begin with. @defaultValue none */
  readonly transports?: string;
}

/** Git ended with another status than 0; what it said is English. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** In every run: nothing of a repository runs, and nothing is tidied up behind our back. */
const CONFIG: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'credential.helper': '',
  'submodule.recurse': 'false',
  'advice.detachedHead': 'false',
};

/** What git prints. Throws `GitFailed`, and the signal's reason on abort. */
export async function runGit(args: readonly string[], run: GitRun, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const options = { cwd: run.folder, env: environmentOf(run), signal, maxBuffer: 256 * 1_024 * 1_024 };
  return new Promise((resolve, reject) => {
    const child = execFile('git', args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (signal.aborted) reject(signal.reason as Error);
      else if (error.code === 'ENOENT') reject(new GitFailed('there is no program git', { cause: error }));
      else reject(new GitFailed(stderr.trim() || error.message, { cause: error }));
    });
    // One that ends before it has read everything says why by its status.
    child.stdin?.on('error', () => undefined).end(run.input);
  });
}

function environmentOf({ path, config = {}, env = {}, transports = '' }: GitRun): Record<string, string> {
  const settings = Object.entries({ ...CONFIG, ...config });
  return {
    ...{ PATH: path, LC_ALL: 'C', HOME: '/nonexistent' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' },
    ...{ GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: 'true', SSH_ASKPASS: 'true' },
    GIT_ALLOW_PROTOCOL: transports,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    ...env,
  };
}
