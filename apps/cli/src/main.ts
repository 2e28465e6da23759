/** The process: the only place that deals with signals, the environment and exit codes. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ioSettings } from './config.js';
import type { Context } from './context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { processIo } from './io.js';
import { runProgram } from './program.js';

/** npm and the terminal both pass Ctrl-C on: copies that come this close together are one. */
const SAME_INTERRUPT_MS = 300;
/** So often has Ctrl-C to be pressed to end the process whatever it is doing. */
const FORCED_AFTER = 3;

type InterruptHandler = (times: number, signal: NodeJS.Signals) => void;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const io = processIo(process, ioSettings(process.env, args));
  const context: Context = {
    io,
    env: process.env,
    cwd: process.cwd(),
    version: readVersion(),
    command: commandOf(process.argv[1] ?? ''),
    setExitCode: (code) => (process.exitCode = code),
    onInterrupt: listenForInterrupts,
  };
  const code = await runProgram(args, context);
  if (code !== EXIT.ok) process.exitCode = code;
  // What is still open is of no more use: a stream that is being cancelled, a kept-alive connection.
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit();
}

/** npm and npx start it by a path of the repository; a shell finds it as `bullpen`. */
function commandOf(path: string): string {
  return basename(path) === 'bullpen' && !path.includes('node_modules') ? 'bullpen' : 'npx bullpen';
}

function listenForInterrupts(handler: InterruptHandler): () => void {
  let times = 0;
  let last = -Infinity;
  const listen = (signal: NodeJS.Signals): void => {
    if (performance.now() - last < SAME_INTERRUPT_MS) return;
    last = performance.now();
    times += 1;
    if (times >= FORCED_AFTER) process.exit(EXIT.interrupted satisfies ExitCode);
    handler(times, signal);
  };
  process.on('SIGINT', listen);
  process.on('SIGTERM', listen);
  return () => {
    process.off('SIGINT', listen);
    process.off('SIGTERM', listen);
  };
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** A pipe takes its time; what was written before must not be lost at exit. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

await main();
