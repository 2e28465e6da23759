/**
 * Entry of the fault suite: what people read goes to stderr, one line a part; the last line on stdout is one JSON document. The
 * exit code is 0 only when everything that ran has passed.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '@bullpen/contracts';
import { drills } from './drills/index.js';
import { parseOptions, type SuiteOptions } from './options.js';
import { Report } from './report.js';
import { STORE_SWEEP_ID, SWEEP_ID } from './sweep-parts.js';
import { MUTANTS_ID, runSuite } from './suite.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const log = (line: string) => process.stderr.write(`${line}\n`);

/** Whether redis parts can run. */
async function redisState(): Promise<'available' | 'missing' | 'required_and_missing'> {
  const works = await new Promise<boolean>((resolve) => {
    execFile('redis-server', ['--version'], (error) => resolve(error === null));
  });
  if (works) return 'available';
  return process.env['REQUIRE_REDIS'] === '1' ? 'required_and_missing' : 'missing';
}

function refuseUnknownParts({ only }: SuiteOptions): void {
  const known = [SWEEP_ID, STORE_SWEEP_ID, MUTANTS_ID, ...drills.map(({ id }) => id)];
  const unknown = (only ?? []).filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new AppError(
      'config_invalid',
      `There is no part ${unknown.join(', ')}; there are ${known.join(', ')}`,
    );
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), Date.now() % 1_000_000_000);
  refuseUnknownParts(options);
  const redis = await redisState();
  log(`fault suite, form ${options.form}, seed ${options.seed}, backends ${options.backends.join(' and ')}`);
  if (redis !== 'available' && options.backends.includes('redis'))
    log('there is no redis-server: parts on Redis are skipped');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const report = new Report(options.seed, options.backends, log);
  await runSuite({ options, report, root: ROOT, redis, signal: stop.signal, log });
  process.stdout.write(`${report.toJson()}\n`);
  return report.allPassed && !stop.signal.aborted ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
