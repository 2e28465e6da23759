/**
 * Entry of the workspace suite: trees of every kind, taken as checkpoints, moved, restored, and compared with a listing that knows nothing of
 * the product. What people read goes to stderr; the last line on stdout is one JSON document. The exit code is 0 only when no file was lost.
 */
import { AppError } from '@bullpen/contracts';
import { parseOptions } from './options.js';
import { isAsItMustBe, testWorkspaces } from './suite.js';

const log = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { quiet, ...options } = parseOptions(process.argv.slice(2));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const report = await testWorkspaces(options, quiet ? () => undefined : log, stop.signal);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return isAsItMustBe(report) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
