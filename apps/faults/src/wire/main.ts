/**
 * Entry of the wire suite: strange answers of a provider, byte by byte, played through the whole product, then very many streams that
 * are only read. What people read goes to
 * stderr, a line a case; the last line on stdout is one JSON document. The exit code is 0 only when every case has passed.
 */
import { setMaxListeners } from 'node:events';
import { AppError } from '@bullpen/contracts';
import { cases } from './cases/index.js';
import { randomCases } from './cases/random.js';
import { chosen, parseOptions } from './options.js';
import { runCases, type CaseResult } from './run-cases.js';
import { runStreams } from './streams/run-streams.js';
import { WireStack } from './wire-stack.js';

const log = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { names, seed, random, streams, quiet, list } = parseOptions(process.argv.slice(2));
  const wanted = chosen([...randomCases(seed, random), ...cases], names);
  if (list) {
    for (const { name, what } of wanted) process.stdout.write(`${name.padEnd(32)}  ${what.slice(0, 120)}\n`);
    return 0;
  }
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // Many cases wait for it at a time.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const results: CaseResult[] = [];
  const told = (result: CaseResult) => {
    results.push(result);
    if (!quiet) log(lineOf(result));
  };
  const startedAt = performance.now();
  const stack = await WireStack.start(stop.signal);
  try {
    await runCases(stack, wanted, told);
  } finally {
    await stack.stop();
  }
  const { counts, examples } = await runStreams(names === null ? streams : 0, seed, stop.signal);
  examples.forEach((example) => log(`FAIL  stream  ${example}`));
  const { streams: read, ...faults } = counts;
  const isSound = Object.values(faults).every((count) => count === 0);
  const failures = results.filter(({ found }) => found.length > 0);
  const skipped = results.filter((result) => result.skipped !== null);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const report = {
    cases: results.length,
    pass: results.length - failures.length - skipped.length,
    fail: failures.length,
    ...{ streams: read, ...faults },
    skipped: skipped.map(({ name, skipped: why }) => ({ name, why })),
    seed,
    seconds,
    failures: failures.map(({ name, what, found }) => ({ name, what, found })),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return failures.length === 0 && isSound && !stop.signal.aborted ? 0 : 1;
}

function lineOf({ name, what, found, skipped, seconds }: CaseResult): string {
  if (skipped !== null) return `skip  ${name}  ${skipped}`;
  const verdict = found.length === 0 ? 'ok  ' : 'FAIL';
  const reasons = found.map((line) => `\n        ${line}`).join('');
  return `${verdict}  ${name}  ${seconds.toFixed(1)} s${found.length === 0 ? '' : `  ${what}`}${reasons}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
