/** Node processes that specs start, talk to, and kill without mercy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { trackPid, untrackPid } from './tracked-pids.js';
import { waitFor } from './wait-for.js';

export interface ProcessOptions {
  /** Shown in errors. @defaultValue the entry */
  readonly name?: string;
  readonly args?: readonly string[];
  /** On top of the caller's environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Options of Node itself. */
  readonly execArgv?: readonly string[];
  /** Opens an IPC channel, for children that live as long as it does. @defaultValue false */
  readonly ipc?: boolean;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TestProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Everything that it wrote to stdout and stderr so far, in order of arrival. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when it is gone and its output is complete. */
  readonly ended: Promise<ProcessEnd>;
  /** Waits until the output holds the text or fits the pattern; gives the match. Fails when the process ends before. */
  waitForOutput(what: string | RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ProcessEnd>;
  /** kill -9: no handler of the process runs. */
  kill(): Promise<ProcessEnd>;
}

const running = new Set<TestProcess>();

/** Starts a JavaScript file with this Node. */
export function startProcess(entry: string, options: ProcessOptions = {}): TestProcess {
  const name = options.name ?? entry;
  const child = spawn(process.execPath, [...(options.execArgv ?? []), entry, ...(options.args ?? [])], {
    cwd: options.cwd,
    // Jest's own Node options would make every child print warnings or fail to start.
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
  });
  const text = { all: '', stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      text.all += chunk;
    });
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('error', (error) => {
      text.all += String(error);
      resolve({ code: null, signal: null });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const handle = new Handle(name, child, text, ended);
  running.add(handle);
  if (child.pid !== undefined) trackPid(child.pid, name);
  void ended.then(() => {
    running.delete(handle);
    if (child.pid !== undefined) untrackPid(child.pid);
  });
  return handle;
}

/** For `afterAll`: kills what is left of this spec's processes and fails when there was any. */
export async function assertNoProcessLeft(): Promise<void> {
  const left = [...running];
  await Promise.all(left.map((one) => one.kill()));
  if (left.length > 0)
    throw new Error(`Processes left running: ${left.map((one) => String(one)).join(', ')}`);
}

class Handle implements TestProcess {
  private over = false;

  constructor(
    private readonly name: string,
    readonly child: ChildProcess,
    private readonly text: { all: string; stdout: string; stderr: string },
    readonly ended: Promise<ProcessEnd>,
  ) {
    void ended.then(() => (this.over = true));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get output(): string {
    return this.text.all;
  }

  get stdout(): string {
    return this.text.stdout;
  }

  get stderr(): string {
    return this.text.stderr;
  }

  async waitForOutput(what: string | RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    const pattern = typeof what === 'string' ? new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : what;
    const look = (): RegExpExecArray | null => {
      const match = pattern.exec(this.output);
      if (match === null && this.over)
        throw new Error(`${this.name} ended without ${pattern}:\n${this.output}`);
      return match;
    };
    return waitFor(look, { timeoutMs, what: `${pattern} in the output of ${this.name}` }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${this.output}`, { cause: error });
      },
    );
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessEnd> {
    if (!this.over) this.child.kill(signal);
    return this.ended;
  }

  kill(): Promise<ProcessEnd> {
    return this.stop('SIGKILL');
  }

  toString(): string {
    return `${this.name} (process ${this.pid})`;
  }
}
