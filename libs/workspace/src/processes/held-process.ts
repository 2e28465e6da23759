/** A process of a task while its worker holds it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { endText, processNotice, type ProcessRecords } from '@bullpen/core';
import type { ProcessAnchor } from '../sandbox/sandbox.js';
import { reportOf, type ProcessReport } from './process-report.js';
import type { RunningCommand } from './running-command.js';

/** Whose process it is. */
export interface ProcessOwner {
  readonly taskId: string;
  readonly rootId: string;
  readonly callId: string;
  /** Of the lease that it is started under. */
  readonly epoch: number;
}

/** `moved`: it goes on in the background, because somebody (`by`) wanted that, or because the wait was over. */
export type Followed =
  | { readonly kind: 'ended'; readonly report: ProcessReport }
  | { readonly kind: 'moved'; readonly by: string | null };

/** How long a process may run that was moved to the background, unless it was given more. */
export const BACKGROUND_LIMIT_MS = 3_600_000;

/** When an end that could not be written down is written again. */
const AGAIN_MS = 5_000;

export interface HeldOptions {
  readonly id: string;
  readonly owner: ProcessOwner;
  /** As its row has it. */
  readonly command: string;
  readonly background: boolean;
  readonly limitMs: number;
  /** Where its output is kept. */
  readonly folder: string;
  readonly records: ProcessRecords;
  /** Told of rows that could not be written. */
  readonly onProblem: (error: unknown) => void;
}

export class HeldProcess {
  /** Resolves when its end is written down. Never rejects. */
  readonly ended: Promise<ProcessReport>;
  private background: boolean;
  private limitMs: number;
  /** How many of the agent's calls will tell it of the end, so that no message has to. */
  private tellers = 0;
  private over = false;
  private readonly moves: ((by: string | null) => void)[] = [];
  /** Rows are written one after the other. */
  private written: Promise<void> = Promise.resolve();

  constructor(
    readonly options: HeldOptions,
    private readonly command: RunningCommand,
  ) {
    const { id, records } = options;
    this.background = options.background;
    this.limitMs = options.limitMs;
    this.write(() => records.anchored(id, command.anchor));
    this.ended = this.conclude();
  }

  get anchor(): ProcessAnchor {
    return this.command.anchor;
  }

  get outputBytes(): number {
    return this.command.outputBytes;
  }

  /** Resolves when the output so far can be read. */
  flushed(): Promise<void> {
    return this.command.flushed();
  }

  /** Ends it, with everything that it started. The first cause counts. */
  stop(cause: string): void {
    this.command.stop(cause);
  }

  /** Ends it for its agent, which gets the report. */
  async kill(cause: string): Promise<ProcessReport> {
    this.tellers += 1;
    this.stop(cause);
    return this.ended;
  }

  /**
   * Waits until it has ended, until somebody moves it to the background, or for `waitMs`; then it goes there, too. When the signal
   * fires it is ended.
   */
  async follow(waitMs: number | null, signal: AbortSignal): Promise<Followed> {
    const stop = (): void => this.stop('the call was cancelled');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const timer = waitMs === null ? undefined : setTimeout(() => this.moveToBackground(null), waitMs);
    try {
      return await Promise.race([
        this.ended.then((report): Followed => ({ kind: 'ended', report })),
        new Promise<Followed>((resolve) => this.moves.push((by) => resolve({ kind: 'moved', by }))),
      ]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Waits for its end, at most so long and until the signal fires. Null: it still runs. */
  async wait(waitMs: number, signal: AbortSignal): Promise<ProcessReport | null> {
    this.tellers += 1;
    const over = new AbortController();
    const report = await Promise.race([this.ended, passed(waitMs, AbortSignal.any([signal, over.signal]))]);
    over.abort();
    if (report === null) this.tellers -= 1;
    return report;
  }

  /** From now on no call waits for its result, and it may take longer. Without effect on one that is there already, or has ended. */
  moveToBackground(by: string | null): void {
    if (this.background || this.over) return;
    this.background = true;
    this.limitMs = Math.max(this.limitMs, BACKGROUND_LIMIT_MS);
    const { id, records } = this.options;
    const { limitMs } = this;
    this.command.extend(limitMs);
    this.write(() => records.toBackground(id, limitMs));
    for (const moved of this.moves.splice(0)) moved(by);
  }

  private async conclude(): Promise<ProcessReport> {
    const end = await this.command.ended;
    this.over = true;
    const report = reportOf(end, this.limitMs);
    const { id, command, records } = this.options;
    const untold = this.background && this.tellers === 0;
    const notice = untold ? processNotice({ id, command, end: endText(report) }) : null;
    await this.written;
    await this.writeEnd(() => records.ended(id, report, notice));
    return report;
  }

  /** Again and again: nobody else can say how it ended, as long as this worker lives. */
  private async writeEnd(row: () => Promise<void>): Promise<void> {
    try {
      await row();
    } catch (error) {
      this.options.onProblem(error);
      setTimeout(() => void this.writeEnd(row), AGAIN_MS).unref();
    }
  }

  private write(row: () => Promise<void>): void {
    this.written = this.written.then(row).catch(this.options.onProblem);
  }
}

/** Resolves with null after `ms`, or when the signal fires. */
function passed(ms: number, signal: AbortSignal): Promise<null> {
  return sleep(ms, null, { signal }).catch(() => null);
}
