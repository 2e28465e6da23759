/**
 * Sandbox of level none: a process group of its own, an unprivileged user, an environment built from nothing, limits. It can read
 * what its user can read and reach the network, and what leaves its group on purpose is not found again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '@bullpen/contracts';
import { PLAIN } from './unattended.js';
import { closedFolder, userToDropTo } from './command-user.js';
import { startTicksOf } from './box-processes.js';
import { guardGroup } from './group-guard.js';
import { endGroup, signalGroup } from './process-group.js';
import type { BoxEnd, BoxedProcess, BoxSpec, Sandbox } from './sandbox.js';

/**
 * Joins both streams into one pipe, so that their order is kept, sets limits, makes the folder for temporary files (here, as the
 * command's user), and gives the command line a shell of its own. bash counts file sizes in blocks of 1,024 bytes.
 */
function prologue({ limits }: BoxSpec): string {
  return (
    'exec 2>&1; ulimit -c 0; ' +
    `ulimit -f ${Math.floor(limits.fileBytes / 1_024)} 2>/dev/null; ` +
    `ulimit -n ${limits.openFiles} 2>/dev/null; ulimit -t ${limits.cpuSeconds} 2>/dev/null; ` +
    '[ -d "$TMPDIR" ] || mkdir "$TMPDIR"; exec "$0" -c "$1"'
  );
}

/** No box: commands are processes of the worker's user, ended as a process group. */
export function unboxed(): Sandbox {
  return {
    level: 'none',
    start: async (spec, signal) => {
      const child = await startShell(spec, signal);
      // Nothing may be awaited from here on: at its exit Node throws away what nobody has begun to read.
      return new GroupedProcess(child, startTicksOf(child.pid as number), spec.path);
    },
  };
}

class GroupedProcess implements BoxedProcess {
  readonly anchor: BoxedProcess['anchor'];
  readonly output: Readable;
  readonly ended: Promise<BoxEnd>;
  private stopping = false;
  private over = false;

  constructor(child: ChildProcess, startTicks: number, searchPath: string) {
    const pid = child.pid as number;
    this.anchor = { pid, startTicks };
    this.output = child.stdout as Readable;
    // A broken pipe ends the output; 'close' follows.
    this.output.once('error', () => this.output.destroy());
    this.ended = this.watch(child, guardGroup(pid, searchPath));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.over) return;
    this.stopping = true;
    signalGroup(this.anchor.pid, signal);
  }

  private async watch(child: ChildProcess, letGo: () => void): Promise<BoxEnd> {
    const { exitCode, signal } = await exitOf(child);
    // What was told to stop may tidy up until it is killed; after a normal end nobody waits for leftovers.
    await endGroup(this.anchor.pid, this.stopping ? Infinity : 0);
    this.over = true;
    letGo();
    closeWhenSilent(this.output);
    return { exitCode, signal, limit: null, takenBack: [], refusedHosts: [] };
  }
}

async function startShell(spec: BoxSpec, signal: AbortSignal): Promise<ChildProcess> {
  const user = userToDropTo(spec.user);
  const closed = user === null ? null : closedFolder(spec.cwd, user);
  if (closed !== null) {
    throw new AppError(
      'tool_failed',
      `The command user can't enter ${closed}; allow it (chmod o+x), or keep workspaces elsewhere`,
    );
  }
  signal.throwIfAborted();
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const child = spawn(shell, ['-c', prologue(spec), shell, spec.command], {
    cwd: spec.cwd,
    detached: true,
    env: environmentOf(spec),
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(user ?? {}),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(new AppError('tool_failed', `Can't start ${shell} in ${spec.cwd}: ${cause.message}`, { cause }));
    });
  });
  return child;
}

/** All of the command's environment. */
function environmentOf(spec: BoxSpec): Record<string, string> {
  return {
    PATH: spec.path,
    HOME: spec.home,
    TMPDIR: path.join(spec.home, 'tmp'),
    ...PLAIN,
  };
}

function exitOf(child: ChildProcess): Promise<Pick<BoxEnd, 'exitCode' | 'signal'>> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve({ exitCode: child.exitCode, signal: child.signalCode });
    } else child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

/** How long a silent pipe may stay open after the group is gone: a process that left the group can hold it for ever. */
const HELD_PIPE_MS = 200;

/** After a busy time of this process the timer comes before what is in the pipe, and whoever reads it may be behind. */
function closeWhenSilent(output: Readable): void {
  let silent = true;
  output.on('data', () => (silent = false));
  const look = setTimeout(() => {
    silent = !output.isPaused() && output.readableLength === 0;
    setImmediate(() => (silent ? output.destroy() : look.refresh()));
  }, HELD_PIPE_MS);
  output.once('close', () => clearTimeout(look));
}
