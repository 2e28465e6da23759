/**
 * Entry of the fuzz: odd requests to every route of a real gateway. What people read goes to stderr; the last line on stdout is one JSON
 * document. The exit code is 0 only when every answer was as it must be.
 */
import { AppError } from '@bullpen/contracts';
import { FuzzStack } from './fuzz-stack.js';
import { fuzz } from './fuzz.js';
import { parseOptions } from './options.js';

const log = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { quiet, ...options } = parseOptions(process.argv.slice(2));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const stack = await FuzzStack.start(stop.signal);
  try {
    const report = await fuzz(stack, {
      ...options,
      told: quiet ? () => undefined : log,
      signal: stop.signal,
    });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return report.fail === 0 && !stop.signal.aborted ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
