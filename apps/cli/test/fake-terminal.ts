/** A command line in memory: what it printed, and how it ended. */
import pc from 'picocolors';
import type { Context } from '../src/context.js';
import type { Io } from '../src/io.js';
import { runProgram } from '../src/program.js';

export interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** Of the terminal that reads tables; without it they are read by a program. */
  readonly columns?: number;
  /** Given what Ctrl-C calls, so that a test can press it. */
  onInterrupt?(press: (times: number) => void): void;
}

/** Runs a command line in this process and gathers what it prints. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const printed = { out: '', err: '' };
  const colors = pc.createColors(false);
  const line = (text: string): string => `${text}\n`;
  const io: Io = {
    out: (text) => (printed.out += line(text)),
    err: (text) => (printed.err += line(text)),
    outPiece: (text) => (printed.out += text),
    outBytes: async (pieces) => {
      for await (const bytes of pieces) printed.out += Buffer.from(bytes).toString('utf8');
    },
    outColors: colors,
    errColors: colors,
    animate: false,
    pin: () => () => undefined,
    liveArea: () => ({ update: () => undefined, done: () => undefined }),
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    columns: () => options.columns ?? 80,
    tableColumns: () => options.columns ?? Infinity,
    rows: () => 24,
    readStdin: () => Promise.resolve(options.stdin ?? ''),
    lines: () => linesOf(options.stdin ?? ''),
    terminal: null,
    now: () => Date.parse('2026-01-01T00:01:00.000Z'),
  };
  const context: Context = {
    io,
    env: options.env ?? {},
    cwd: options.cwd ?? '/',
    version: '0.0.1',
    command: 'bullpen',
    setExitCode: () => undefined,
    onInterrupt: (handler) => {
      options.onInterrupt?.((times) => handler(times, 'SIGINT'));
      return () => undefined;
    },
  };
  const code = await runProgram(args, context);
  return { code, ...printed };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n').filter((line, index, all) => line !== '' || index < all.length - 1);
}
