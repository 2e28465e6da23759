/**
 * Entry of the modes suite: the labelled prompts, the machine of modes, and the code index on real packages. What people read goes to
 * stderr; the last line on stdout is one JSON document. The exit code is 0 only when no goal was missed; a time counts as missed where it is
 * clearly over its goal.
 */
import { testModes } from './suite.js';

const log = (line: string) => process.stderr.write(`${line}\n`);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

try {
  const report = await testModes(log, stop.signal);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  process.exitCode = report.missed.length === 0 ? 0 : 1;
} catch (error) {
  log(String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
