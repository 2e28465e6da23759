/** One command in a sandbox, from its start to its end: with a time limit, with its output read all the time, with nothing of it left. */
import type { Readable } from 'node:stream';
import { NO_RULES } from '@bullpen/contracts';
import {
  DEFAULT_BOX_LIMITS,
  type BoxEnd,
  type BoxedProcess,
  type BoxSpec,
  type ProcessAnchor,
  type Sandbox,
} from '../sandbox/sandbox.js';
import { LiveOutput, type ShowOutput } from './live-output.js';

export interface CommandSpec extends Omit<BoxSpec, 'limits' | 'network'> {
  readonly limits?: BoxSpec['limits'];
  readonly network?: BoxSpec['network'];
  /** How long it may run; then it is ended. */
  readonly timeoutMs: number;
  /** Time between TERM and KILL. @defaultValue 5,000 */
  readonly graceMs?: number;
  readonly output: OutputSink;
  /** Gets the output while it comes, unless there is more than anybody could read. Must not throw. */
  readonly onOutput?: ShowOutput;
}

/** Where the output of a command goes. */
export interface OutputSink {
  /** Bytes so far. */
  readonly size: number;
  /** Why a part of it could not be kept; null when all is well. */
  readonly problem: Error | null;
  /** Reads a stream to its end. `onChunk` sees each piece as it comes; must not throw. */
  drain(output: Readable, onChunk: (chunk: Buffer) => void): Promise<void>;
  /** Resolves when the output so far can be read. */
  flushed(): Promise<void>;
}

/** Why it was told to end: its time was up, or somebody wanted it, for the cause given. */
export type StopReason = { readonly kind: 'time' } | { readonly kind: 'stop'; readonly cause: string };

export interface CommandEnd extends BoxEnd {
  /** Null: it ended by itself. Then, and only then, may it count as a success. */
  readonly stopped: StopReason | null;
  readonly durationMs: number;
  readonly outputBytes: number;
  /** Output that could not be kept. */
  readonly outputProblem: Error | null;
}

/**
 * Starts a command. Throws `tool_failed` when it can't be started, and the signal's reason when that fires first: then nothing has
 * started.
 */
export async function startCommand(
  sandbox: Sandbox,
  { timeoutMs, graceMs = 5_000, output, onOutput, ...spec }: CommandSpec,
  signal: AbortSignal,
): Promise<RunningCommand> {
  const box = await sandbox.start({ limits: DEFAULT_BOX_LIMITS, network: NO_RULES.network, ...spec }, signal);
  // Nothing may be awaited from here on: output that nobody has begun to read is lost with the process.
  return new RunningCommand(box, { timeoutMs, graceMs }, output, onOutput);
}

export class RunningCommand {
  readonly anchor: ProcessAnchor;
  /** Resolves when nothing of it is left and its output is kept. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  private reason: StopReason | null = null;
  private readonly startedAt = performance.now();
  private limit: NodeJS.Timeout;
  private kill: NodeJS.Timeout | undefined;
  private over = false;

  constructor(
    private readonly box: BoxedProcess,
    private readonly times: { readonly timeoutMs: number; readonly graceMs: number },
    private readonly output: OutputSink,
    onOutput: ShowOutput = () => undefined,
  ) {
    this.anchor = box.anchor;
    this.limit = this.limitTo(times.timeoutMs);
    this.ended = this.follow(new LiveOutput(onOutput));
  }

  /** Bytes of output so far. */
  get outputBytes(): number {
    return this.output.size;
  }

  /** Resolves when the output so far can be read. */
  flushed(): Promise<void> {
    return this.output.flushed();
  }

  /** TERM, and KILL when the grace is over. The first reason counts. */
  stop(cause: string): void {
    this.end({ kind: 'stop', cause });
  }

  /** Gives it more time, counted from its start. */
  extend(timeoutMs: number): void {
    clearTimeout(this.limit);
    if (this.reason === null && !this.over) this.limit = this.limitTo(timeoutMs);
  }

  private limitTo(timeoutMs: number): NodeJS.Timeout {
    const leftMs = timeoutMs - (performance.now() - this.startedAt);
    return setTimeout(() => this.end({ kind: 'time' }), Math.max(0, leftMs));
  }

  private end(reason: StopReason): void {
    if (this.reason !== null || this.over) return;
    this.reason = reason;
    this.box.signal('SIGTERM');
    this.kill = setTimeout(() => this.box.signal('SIGKILL'), this.times.graceMs);
  }

  private async follow(live: LiveOutput): Promise<CommandEnd> {
    const drained = this.output.drain(this.box.output, (chunk) => live.push(chunk));
    const end = await this.box.ended;
    this.over = true;
    clearTimeout(this.limit);
    clearTimeout(this.kill);
    await drained;
    live.end();
    return {
      ...end,
      stopped: this.reason,
      durationMs: Math.round(performance.now() - this.startedAt),
      outputBytes: this.output.size,
      outputProblem: this.output.problem,
    };
  }
}
