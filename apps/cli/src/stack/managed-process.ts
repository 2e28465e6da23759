/**
 * One child process that is kept running: started in a process group of its own (so that Ctrl-C in the terminal reaches only
 * the supervisor), started again with a growing pause when it ends on its own, stopped with SIGTERM and at last with SIGKILL.
 * The IPC channel is what tells the child that its supervisor is gone.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, errorText } from '@bullpen/contracts';
import { importantPart, lastLines, LogReader, openLog, readableLine, reasonIn, sizeOf } from './log-file.js';

/** What a child says over IPC: `type` is `ready` or `listening` when it is up. */
export type ChildMessage = Readonly<Record<string, unknown>> & { readonly type: string };

export interface ProcessSpec {
  /** Unique in a stack; names the log file. */
  readonly name: string;
  /** Script and arguments for Node. `ready` is what the first start said, so that later ones can ask for the same port. */
  command(ready: ChildMessage | null): readonly string[];
  env(ready: ChildMessage | null): Readonly<Record<string, string>>;
  /** The `type` of the message that says that the child is up. */
  readonly readyMessage: string;
  /** Whether it answers health checks; the simulator, which holds nobody's work, does not. */
  readonly answersPings: boolean;
  /** How long a stop may take before the whole process group is killed. */
  readonly stopTimeoutMs: number;
}

/** Pauses between a crash and the next start. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A child that ran this long did not crash quickly: counting starts over. */
  readonly steadyMs: number;
  /** So many quick crashes in a row before the child was ever up end the attempt. */
  readonly maxQuickCrashes: number;
}

export const DEFAULT_BACKOFF: Backoff = {
  firstMs: 1_000,
  maxMs: 30_000,
  steadyMs: 30_000,
  maxQuickCrashes: 5,
};

/** How a child is asked whether its event loop still turns; counted in checks, so that a sleeping machine kills nothing. */
export interface Liveness {
  readonly everyMs: number;
  /** So many questions without an answer in a row, and it is killed and started again. */
  readonly unanswered: number;
}

/** Five minutes: longer than any computation that stops everything else has a right to take. */
export const DEFAULT_LIVENESS: Liveness = { everyMs: 15_000, unanswered: 20 };

export type ProcessEvent =
  | { readonly type: 'up'; readonly name: string; readonly pid: number; readonly again: boolean }
  | {
      readonly type: 'crashed';
      readonly name: string;
      /** Exit code or signal. */
      readonly how: string;
      /** What its log says about it, if anything. */
      readonly why: string | null;
      readonly restartInMs: number;
    }
  | { readonly type: 'log'; readonly name: string; readonly level: string; readonly text: string }
  | {
      readonly type: 'stopped';
      readonly name: string;
      readonly durationMs: number;
      readonly killed: boolean;
    };

export interface ManagedProcessOptions {
  readonly logFolder: string;
  readonly backoff?: Backoff;
  readonly liveness?: Liveness;
  onEvent(event: ProcessEvent): void;
}

const TAIL_LINES = 15;
const LOOK_AT_LOG_MS = 250;

export class ManagedProcess {
  readonly logPath: string;
  private readonly backoff: Backoff;
  private child: ChildProcess | null = null;
  private firstReady: ChildMessage | null = null;
  private quickCrashes = 0;
  private restartTimer: NodeJS.Timeout | null = null;
  private stopping = false;
  private reader: LogReader | null = null;
  private logTrouble = false;
  private readonly watchLog: NodeJS.Timeout;
  private readonly watchLife: NodeJS.Timeout;
  private readonly liveness: Liveness;
  /** Questions that the present child has not answered; null before it is up. */
  private unanswered: number | null = null;
  private readonly readiness = deferred<ChildMessage>();
  /** Length of the log before this start: what earlier ones wrote says nothing about it. */
  private logStart = 0;

  constructor(
    readonly spec: ProcessSpec,
    private readonly options: ManagedProcessOptions,
  ) {
    this.logPath = join(options.logFolder, `${spec.name}.log`);
    this.backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.watchLog = setInterval(() => this.reportLog(), LOOK_AT_LOG_MS);
    this.watchLog.unref();
    this.liveness = options.liveness ?? DEFAULT_LIVENESS;
    this.watchLife = setInterval(() => this.askForLife(), this.liveness.everyMs).unref();
    // A stop before readiness rejects a promise that nobody may be waiting for any more.
    this.readiness.promise.catch(() => undefined);
  }

  /** The running process, if there is one at this moment. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /**
   * Starts the child and waits until it says that it is up. Throws `internal_error` with the end of its log when it crashed
   * too often, or when it was stopped before.
   */
  start(): Promise<ChildMessage> {
    this.spawn();
    return this.readiness.promise;
  }

  /** Asks the child to end and waits until it did; a child that takes too long is killed with its group. Safe to call twice. */
  async stop(): Promise<void> {
    this.beginStop();
    const { child } = this;
    if (child === null) return;
    const startedAt = performance.now();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      killGroup(child);
    }, this.spec.stopTimeoutMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
    const durationMs = performance.now() - startedAt;
    this.options.onEvent({ type: 'stopped', name: this.spec.name, durationMs, killed });
  }

  /** Ends the child and all that it started, at once. */
  kill(): void {
    this.beginStop();
    if (this.child !== null) killGroup(this.child);
  }

  /** Ends the child as a crash would: it is started again. */
  crash(): void {
    if (this.child !== null) killGroup(this.child);
  }

  private beginStop(): void {
    this.stopping = true;
    if (this.restartTimer !== null) clearTimeout(this.restartTimer);
    clearInterval(this.watchLog);
    clearInterval(this.watchLife);
    this.readiness.reject(new AppError('internal_error', `${this.spec.name} was stopped before it was up`));
  }

  private spawn(): void {
    const startedAt = performance.now();
    const log = this.openLog();
    const output = log ?? 'ignore';
    const child = spawn(process.execPath, this.spec.command(this.firstReady), {
      detached: true,
      env: this.spec.env(this.firstReady),
      stdio: ['ignore', output, output, 'ipc'],
    });
    if (log !== null) closeSync(log);
    this.child = child;
    this.unanswered = null;
    child.on('message', (message) => this.onMessage(message));
    // 'exit' does not follow when the process could not be started at all.
    child.once('error', (error) => this.onEnd(child, startedAt, error.message));
    child.once('exit', (code, signal) => this.onEnd(child, startedAt, signal ?? `exit code ${code}`));
  }

  /** Null when there is no room for it, or it may not be written: the process is worth more than what it says. */
  private openLog(): number | null {
    try {
      const log = openLog(this.logPath);
      this.reader ??= new LogReader(this.logPath);
      this.logStart = sizeOf(this.logPath);
      return log;
    } catch (error) {
      this.warn(`it runs without a log: ${errorText(error)}`);
      return null;
    }
  }

  private warn(text: string): void {
    this.options.onEvent({ type: 'log', name: this.spec.name, level: 'warn', text });
  }

  private askForLife(): void {
    const { child, unanswered } = this;
    if (child === null || unanswered === null || !this.spec.answersPings) return;
    if (unanswered >= this.liveness.unanswered) {
      this.unanswered = null;
      this.warn(`it hangs: ${unanswered} checks in a row were not answered; killing it`);
      return killGroup(child);
    }
    this.unanswered = unanswered + 1;
    // One that is about to end says so by ending.
    child.send({ type: 'ping' }, () => undefined);
  }

  private onMessage(message: unknown): void {
    if (this.unanswered !== null) this.unanswered = 0;
    if (!isChildMessage(message) || message.type !== this.spec.readyMessage) return;
    const again = this.firstReady !== null;
    this.unanswered = 0;
    this.firstReady ??= message;
    this.options.onEvent({ type: 'up', name: this.spec.name, pid: this.pid ?? 0, again });
    this.readiness.resolve(message);
  }

  private onEnd(child: ChildProcess, startedAt: number, how: string): void {
    if (this.child !== child) return;
    this.child = null;
    killGroup(child);
    this.reportLog();
    if (this.stopping) return;
    const steady = performance.now() - startedAt >= this.backoff.steadyMs;
    this.quickCrashes = steady ? 1 : this.quickCrashes + 1;
    if (this.firstReady === null && this.isHopeless()) return this.giveUp(how);
    const restartInMs = Math.min(this.backoff.maxMs, this.backoff.firstMs * 2 ** (this.quickCrashes - 1));
    const why = reasonIn(lastLines(this.logPath, TAIL_LINES, this.logStart));
    this.options.onEvent({ type: 'crashed', name: this.spec.name, how, why, restartInMs });
    this.restartTimer = setTimeout(() => this.startAgain(), restartInMs);
  }

  /** Where not even a process can be started (no memory, no descriptors) it is tried again later. */
  private startAgain(): void {
    try {
      this.spawn();
    } catch (error) {
      const restartInMs = this.backoff.maxMs;
      const how = `it could not be started: ${errorText(error)}`;
      this.options.onEvent({ type: 'crashed', name: this.spec.name, how, why: null, restartInMs });
      this.restartTimer = setTimeout(() => this.startAgain(), restartInMs);
    }
  }

  /** A wrong setting or a taken port does not get better by trying again. */
  private isHopeless(): boolean {
    const tail = lastLines(this.logPath, TAIL_LINES, this.logStart).join('\n');
    return (
      this.quickCrashes >= this.backoff.maxQuickCrashes || /port_in_use|config_invalid|EADDRINUSE/.test(tail)
    );
  }

  private giveUp(how: string): void {
    const { name } = this.spec;
    const tail = lastLines(this.logPath, TAIL_LINES, this.logStart).map(readableLine);
    const times = this.quickCrashes === 1 ? 'once' : `${this.quickCrashes} times in a row`;
    const message = `${name} ended ${times} before it was up (${how}).\nThe end of ${this.logPath}:\n${indent(tail)}`;
    this.readiness.reject(
      new AppError('internal_error', message, { details: { name, logPath: this.logPath } }),
    );
  }

  private reportLog(): void {
    for (const line of this.newLines()) {
      const important = importantPart(line);
      if (important) this.options.onEvent({ type: 'log', name: this.spec.name, ...important });
    }
  }

  private newLines(): string[] {
    try {
      return this.reader?.newLines() ?? [];
    } catch (error) {
      // Said once: the next look goes on from there.
      if (!this.logTrouble) this.warn(`its log cannot be read: ${errorText(error)}`);
      this.logTrouble = true;
      return [];
    }
  }
}

/** Ends a child and what it started in its group; also after the child's own end, for what it left behind. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    // The minus sign means the group.
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Nobody is left in the group, or nobody who is ours.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function isChildMessage(message: unknown): message is ChildMessage {
  return (
    typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string'
  );
}

function indent(lines: readonly string[]): string {
  return lines.length === 0 ? '  (empty)' : lines.map((line) => `  ${line}`).join('\n');
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
