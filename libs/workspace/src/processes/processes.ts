/**
 * The processes that a worker runs for its tasks. Each has a row, written before it starts, so that people can follow it and the next
 * holder of its task knows of it; its output lies in files that no command can reach. A process belongs to its task and to this
 * worker: it lives on while the task waits, and ends with the task, with the worker, or when another worker takes the task over.
 */
import { hostname } from 'node:os';
import path from 'node:path';
import { AppError } from '@bullpen/contracts';
import type { ProcessOrder, ProcessRecords } from '@bullpen/core';
import type { Sandbox, SandboxLevel } from '../sandbox/sandbox.js';
import { HeldProcess, type ProcessOwner } from './held-process.js';
import { pidSpace } from './left-processes.js';
import { OutputWriter, type OutputCap } from './output-files.js';
import { startCommand, type CommandSpec } from './running-command.js';

export interface ProcessesOptions {
  readonly sandbox: Sandbox;
  readonly records: ProcessRecords;
  readonly workerId: string;
  /** Folder for the output of all processes. */
  readonly outputsRoot: string;
  readonly outputCap?: OutputCap;
  readonly newId: (prefix: 'proc') => string;
  /** Told of rows that could not be written. */
  readonly onProblem: (error: unknown) => void;
}

export interface StartSpec extends Omit<CommandSpec, 'output'> {
  readonly background: boolean;
}

/** So many processes of a task run at the same time, at most. */
const MOST_RUNNING = 20;
/** So much of a command line its row has, in characters. */
const COMMAND_CHARS = 2_000;

export class Processes {
  private readonly held = new Map<string, HeldProcess>();
  private readonly space = pidSpace();

  constructor(private readonly options: ProcessesOptions) {}

  /** What holds them. */
  get sandbox(): SandboxLevel {
    return this.options.sandbox.level;
  }

  /**
   * Starts a process. Throws `lease_lost` when the task is in other hands, `tool_failed` when the command can't be started, and the
   * signal's reason when that fires first; then nothing runs.
   */
  async start(owner: ProcessOwner, spec: StartSpec, signal: AbortSignal): Promise<HeldProcess> {
    const { records, sandbox, newId, outputCap } = this.options;
    if (this.runningOf(owner.taskId).length >= MOST_RUNNING)
      throw new AppError(
        'tool_failed',
        `This task has ${MOST_RUNNING} processes running; end one of them first`,
      );
    const id = newId('proc');
    const command = cut(spec.command);
    const row = { id, ...owner, workerId: this.options.workerId, host: hostname(), pidSpace: this.space };
    const { background, timeoutMs: limitMs } = spec;
    const folder = this.folderOf(owner.rootId, id);
    try {
      if (!(await records.begin({ ...row, command, background, limitMs })))
        throw new AppError('lease_lost', `The lease of ${owner.taskId} is lost; nothing is started`);
      const running = await startCommand(
        sandbox,
        { ...spec, output: new OutputWriter(folder, outputCap) },
        signal,
      );
      const process = new HeldProcess(
        { ...this.options, id, owner, command, background, limitMs, folder },
        running,
      );
      this.held.set(id, process);
      void process.ended.then(() => this.held.delete(id));
      return process;
    } catch (error) {
      const cause = signal.aborted ? 'the call was cancelled before it started' : 'it could not be started';
      const end = { state: 'killed', exitCode: null, signal: null, cause, outputBytes: 0 } as const;
      await records.ended(id, end, null).catch(this.options.onProblem);
      throw error;
    }
  }

  /** A process of the task that runs here. */
  find(taskId: string, id: string): HeldProcess | null {
    const process = this.held.get(id);
    return process?.options.owner.taskId === taskId ? process : null;
  }

  /** Where the output of a process is, if it is on this machine. */
  folderOf(rootId: string, id: string): string {
    return path.join(this.options.outputsRoot, rootId, id);
  }

  /** Does what the rows of its processes ask for. To be called from time to time, and when somebody has asked for something. */
  async heed(): Promise<void> {
    if (this.held.size === 0) return;
    const running = [...this.held.values()].map(({ options: { id }, outputBytes }) => ({ id, outputBytes }));
    for (const order of await this.options.records.report(running)) {
      const process = this.held.get(order.id);
      if (process) obey(process, order);
    }
  }

  /** Ends what still runs for a task; resolves when it has ended. */
  endOf(taskId: string, cause: string): Promise<void> {
    return endAll(this.runningOf(taskId), cause);
  }

  /** Ends everything that runs here; each agent is told. */
  endAll(cause: string): Promise<void> {
    return endAll([...this.held.values()], cause);
  }

  private runningOf(taskId: string): HeldProcess[] {
    return [...this.held.values()].filter(({ options }) => options.owner.taskId === taskId);
  }
}

function obey(process: HeldProcess, { over, killBy, backgroundBy }: ProcessOrder): void {
  if (over !== null) process.stop(over === 'lost' ? 'its task went on elsewhere' : 'its task has ended');
  else if (killBy !== null) process.stop(`stopped by ${killBy}`);
  else if (backgroundBy !== null) process.moveToBackground(backgroundBy);
}

async function endAll(processes: readonly HeldProcess[], cause: string): Promise<void> {
  for (const process of processes) process.stop(cause);
  await Promise.all(processes.map(({ ended }) => ended));
}

function cut(command: string): string {
  return command.length <= COMMAND_CHARS ? command : `${command.slice(0, COMMAND_CHARS - 1)}…`.toWellFormed();
}
