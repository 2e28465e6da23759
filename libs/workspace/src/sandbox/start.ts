/**
 * Starts a box so that none can outlive us. A process that is killed in its first milliseconds may leave what it has started, because
 * the kernel's promise to end a child with its parent is not given yet. So the first program in a box says that it is up, and waits
 * to be told to go on; when we die before that, it reads the end of the pipe and ends. What is not even up then waits for a parent that
 * is gone: a guard outside of us ends it. What is up is killed by its first process, which bubblewrap names.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { signalProcess } from './box-processes.js';
import { startGuard } from './group-guard.js';
import { signalGroup } from './process-group.js';
import type { Argument } from './profile.js';
import type { CommandUser } from './command-user.js';
import { startProblem } from './start-problem.js';

export interface StartedBox {
  /** bubblewrap, outside of the box: ends with the box and gives its exit code. */
  readonly child: ChildProcess;
  /** Process 1 of the box, as the machine numbers it. */
  readonly firstPid: number;
  /** Both output streams of the command. */
  readonly output: Readable;
  /** Lets the command begin. */
  go(): void;
  /** Ends the box; also when it has begun. */
  kill(): void;
}

export interface StartOptions {
  /** bubblewrap, with what it is started by. */
  readonly program: readonly string[];
  readonly profile: readonly Argument[];
  readonly filter: Buffer | null;
  /** What runs in the box once it may: for bash, with the command as `$1`. */
  readonly script: string;
  readonly command: string;
  readonly user: CommandUser | null;
}

/** Descriptors beyond the usual ones. All but the first are read or closed by bubblewrap itself. */
const FD = { handshake: 3, info: 4, profile: 5, filter: 6 } as const;

/** Waits until the guard knows of it. */
const LAUNCH = `read -r _ <&${FD.handshake} && exec "$@"`;
/** Closes what was open in whoever started us, too: a file of the machine would be a way out. */
const FIRST =
  `echo up >&${FD.handshake}; read -r _ <&${FD.handshake} || exit 1; exec 2>&1; ` +
  'for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done; ';

/** Longer than any machine takes to set up a box; then something hangs. */
const MOST_SETUP_MS = 20_000;

/** Resolves when the box is up and waits. Throws `tool_failed` when it does not come up, and the signal's reason when that fires first. */
export async function startBox(options: StartOptions, signal: AbortSignal): Promise<StartedBox> {
  signal.throwIfAborted();
  const guard = startGuard();
  const child = spawnBubblewrap(options);
  const [output, errors, handshake, info] = child.stdio.slice(1) as [Readable, Readable, Duplex, Readable];
  const complaint = text(errors).catch(() => '');
  for (const stream of child.stdio as readonly (Readable | Writable | null)[])
    stream?.on('error', ignoreBrokenPipe);
  const letGo = child.pid === undefined ? () => undefined : guard(child.pid);
  handshake.write('start\n');
  let firstPid = 0;
  let killed = false;
  const kill = (): void => {
    killed = true;
    handshake.destroy();
    if (firstPid !== 0) signalProcess(firstPid, 'SIGKILL');
  };
  const named = readFirstPid(info).then((pid) => {
    firstPid = pid;
    if (killed && pid !== 0) signalProcess(pid, 'SIGKILL');
  });
  const isUp = await isUpInTime(child, handshake, kill, signal);
  letGo();
  await named;
  if (isUp && firstPid !== 0 && !signal.aborted)
    return { child, firstPid, output, go: () => void handshake.end('go\n'), kill };
  kill();
  await exited(child);
  // One that was killed from outside may leave a child that waits for it for ever.
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  signal.throwIfAborted();
  throw startProblem(await complaint);
}

function spawnBubblewrap({ program, profile, filter, script, command, user }: StartOptions): ChildProcess {
  const withFilter = filter === null ? [] : ['--seccomp', String(FD.filter)];
  const child = spawn(
    '/bin/sh',
    [
      ...['-c', LAUNCH, 'sh', ...program],
      ...['--args', String(FD.profile), '--info-fd', String(FD.info), ...withFilter],
      ...['--', '/bin/bash', '--noprofile', '--norc', '-c', `${FIRST}${script}`, 'bash', command],
    ],
    {
      cwd: '/',
      // A group of its own, which is left by nothing but a box that is set up.
      detached: true,
      // Nothing of ours: a box can read the environment with which bubblewrap was started.
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', filter === null ? 'ignore' : 'pipe'],
      ...(user ?? {}),
    },
  );
  const pipes: readonly unknown[] = child.stdio;
  (pipes[FD.profile] as Writable).end(withNuls(profile));
  if (filter !== null) (pipes[FD.filter] as Writable).end(filter);
  return child;
}

function withNuls(args: readonly Argument[]): Buffer {
  const nul = Buffer.alloc(1);
  return Buffer.concat(args.flatMap((each) => [typeof each === 'string' ? Buffer.from(each) : each, nul]));
}

/** Whether the box said so before it ended, the signal fired or it took too long. */
async function isUpInTime(
  child: ChildProcess,
  handshake: Duplex,
  kill: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  const hung = setTimeout(kill, MOST_SETUP_MS);
  signal.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise<boolean>((resolve) => {
      handshake.once('data', () => resolve(true));
      handshake.once('close', () => resolve(false));
      child.once('error', () => resolve(false));
    });
  } finally {
    clearTimeout(hung);
    signal.removeEventListener('abort', kill);
  }
}

/** Zero when bubblewrap ended before it had one. */
async function readFirstPid(info: Readable): Promise<number> {
  const said = await text(info).catch(() => '');
  return Number(/"child-pid":\s*(\d+)/.exec(said)?.[1] ?? 0);
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  await once(child, 'exit');
}

/** Whoever reads at the other end may be gone; its exit says why. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '')) throw error;
}
