/**
 * Runs one shell command line in a process group of its own, as an unprivileged user, with an environment built from
 * nothing. However it ends (by itself, by time limit, by abort, with the death of this process), no process of its group is left.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '@bullpen/contracts';
import { closedFolder, userToDropTo, type CommandUser } from './command-user.js';
import { guardGroup } from './group-guard.js';
import { OutputBuffer } from './output-buffer.js';
import { endGroup, signalGroup } from './process-group.js';

export interface CommandSpec {
  /** One command line for the shell. */
  readonly command: string;
  readonly cwd: string;
  /** Its private home; temporary files go to `tmp` in it. */
  readonly home: string;
  /** The PATH of the command; the only thing of the worker's own environment that it may see. */
  readonly path: string;
  /** Needed when this process is root; else ignored. */
  readonly user: CommandUser | null;
  readonly timeoutMs: number;
  /** Time between TERM and KILL. @defaultValue 5,000 */
  readonly graceMs?: number;
  /** Characters of output kept: half from its start, half from its end. @defaultValue 1,000,000 */
  readonly maxOutputChars?: number;
  /** Gets the output while it comes, as whole characters. Must not throw. */
  readonly onOutput?: (text: string) => void;
}

export interface CommandResult {
  /** Null when a signal ended the shell, or when it never started because of an abort. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Standard output and standard error in the order in which they were written. */
  readonly output: string;
  readonly droppedChars: number;
}

/** One GiB in the blocks of 1,024 bytes that bash counts in. A runaway log ends with SIGXFSZ before it fills the disk. */
const MAX_FILE_BLOCKS = 1_048_576;

/**
 * Sets limits, makes the folder for temporary files (here, as the command's user), joins both streams into one pipe, so that
 * their order is kept, and gives the command line a shell of its own.
 */
const PROLOGUE =
  `ulimit -c 0; ulimit -f ${MAX_FILE_BLOCKS} 2>/dev/null; ` +
  '[ -d "$TMPDIR" ] || mkdir "$TMPDIR"; exec 2>&1; exec "$0" -c "$1"';

/**
 * Runs the command to its end. A failing, timed-out or aborted command is a result. Throws `tool_failed` when it can't be
 * started: root without a command user, a working folder that the user can't enter, no shell.
 */
export async function runCommand(spec: CommandSpec, signal: AbortSignal): Promise<CommandResult> {
  const startedAt = performance.now();
  const output = new OutputBuffer(spec.maxOutputChars ?? 1_000_000);
  const ended = signal.aborted ? NEVER_STARTED : await runShell(spec, output, signal);
  const { text, droppedChars } = output.finish();
  return { ...ended, durationMs: Math.round(performance.now() - startedAt), output: text, droppedChars };
}

type Ended = Pick<CommandResult, 'exitCode' | 'signal' | 'timedOut' | 'aborted'>;
const NEVER_STARTED: Ended = { exitCode: null, signal: null, timedOut: false, aborted: true };

async function runShell(spec: CommandSpec, output: OutputBuffer, signal: AbortSignal): Promise<Ended> {
  const child = await startShell(spec);
  const groupId = child.pid as number;
  const letGo = guardGroup(groupId, spec.path);
  const drained = drain(child, (text) => {
    output.append(text);
    spec.onOutput?.(text);
  });
  const graceMs = spec.graceMs ?? 5_000;
  const stop = stopper(groupId, graceMs, spec.timeoutMs, signal);
  const end = await exitOf(child);
  const reason = stop.done();
  // A command that was told to stop may tidy up for the rest of its grace; after a normal end nobody waits for leftovers.
  await endGroup(groupId, reason === null ? 0 : stop.graceLeftMs());
  letGo();
  await drained();
  return { ...end, timedOut: reason === 'time', aborted: reason === 'abort' };
}

async function startShell(spec: CommandSpec): Promise<ChildProcess> {
  const user = userToDropTo(spec.user);
  const closed = user === null ? null : await closedFolder(spec.cwd, user);
  if (closed !== null) {
    throw new AppError(
      'tool_failed',
      `The command user can't enter ${closed}; allow it (chmod o+x), or keep workspaces elsewhere`,
    );
  }
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const child = spawn(shell, ['-c', PROLOGUE, shell, spec.command], {
    cwd: spec.cwd,
    detached: true,
    env: environmentOf(spec),
    stdio: ['ignore', 'pipe', 'pipe'],
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

/** All of the command's environment. C.UTF-8 gives plain messages and whole characters on every machine. */
function environmentOf(spec: CommandSpec): Record<string, string> {
  return {
    PATH: spec.path,
    HOME: spec.home,
    TMPDIR: path.join(spec.home, 'tmp'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
  };
}

function exitOf(child: ChildProcess): Promise<Pick<Ended, 'exitCode' | 'signal'>> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve({ exitCode: child.exitCode, signal: child.signalCode });
    } else child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

interface Stopper {
  /** Ends the watch; says what stopped the command, null when nothing did. */
  done(): 'time' | 'abort' | null;
  graceLeftMs(): number;
}

/** Sends TERM at the time limit or the abort, and KILL when the grace is over. The first reason counts. */
function stopper(groupId: number, graceMs: number, timeoutMs: number, signal: AbortSignal): Stopper {
  let reason: 'time' | 'abort' | null = null;
  let killAt = Infinity;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: 'time' | 'abort'): void => {
    if (reason !== null) return;
    reason = why;
    killAt = performance.now() + graceMs;
    signalGroup(groupId, 'SIGTERM');
    kill = setTimeout(() => signalGroup(groupId, 'SIGKILL'), graceMs);
  };
  const onAbort = (): void => stop('abort');
  const limit = setTimeout(() => stop('time'), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    done: () => {
      clearTimeout(limit);
      clearTimeout(kill);
      signal.removeEventListener('abort', onAbort);
      return reason;
    },
    graceLeftMs: () => Math.max(0, killAt - performance.now()),
  };
}

/** How long a silent pipe may stay open after the group is gone: a process that left the group can hold it for ever. */
const HELD_PIPE_MS = 200;

/** Reads both pipes at once and without pause. The function that it gives waits for their end, then lets go of them. */
function drain(child: ChildProcess, onText: (text: string) => void): () => Promise<void> {
  let lastChunkAt = performance.now();
  const streams = [child.stdout, child.stderr].flatMap((stream) => stream ?? []);
  const ends = streams.map((stream) => {
    const decoder = new StringDecoder('utf8');
    const pass = (text: string): void => {
      // A NUL can't be stored as text by Postgres; its visible picture can.
      if (text !== '') onText(text.replaceAll('\0', '\u2400'));
    };
    stream.on('data', (chunk: Buffer) => {
      lastChunkAt = performance.now();
      pass(decoder.write(chunk));
    });
    return new Promise<void>((resolve) => {
      stream.once('close', () => {
        pass(decoder.end());
        resolve();
      });
      // A broken pipe ends the output; 'close' follows.
      stream.once('error', () => stream.destroy());
    });
  });
  return async () => {
    let closed = false;
    const all = Promise.all(ends).then(() => void (closed = true));
    const groupGoneAt = performance.now();
    while (!closed && performance.now() - Math.max(groupGoneAt, lastChunkAt) < HELD_PIPE_MS) {
      await Promise.race([all, sleep(HELD_PIPE_MS / 8)]);
    }
    for (const stream of streams) stream.destroy();
    await all;
  };
}
