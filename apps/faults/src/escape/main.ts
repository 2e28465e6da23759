/**
 * Entry of the escape suite: hostile files, archives and programs against our tools and our boxes. What people read goes to stderr, a
 * line an attack; the last line on stdout is one JSON document. The exit code is 0 only when every attack came to nothing, and when
 * something more than nothing held.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { nobodyUser, type CommandUser } from '@bullpen/workspace';
import { chosen } from '../wire/options.js';
import type { Attack } from './attack.js';
import { broken } from './finding.js';
import { inputs } from './inputs/index.js';
import { raidInstallation, raids } from './installation.js';
import { parseOptions } from './options.js';
import { probes } from './probes/index.js';
import { lineOf, reportOf, type RunnerSummary, type Told } from './report.js';
import type { Outcome } from './run-attacks.js';
import { runAll } from './runner.js';

const log = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { names, unboxed, quiet, list } = parseOptions(process.argv.slice(2));
  const wanted = chosen([...inputs, ...probes, ...raids], names);
  if (list) {
    for (const { name, what } of wanted) process.stdout.write(`${name.padEnd(32)}  ${what}\n`);
    return 0;
  }
  const startedAt = performance.now();
  const outcomes: Told[] = [];
  const tell = (as: string) => (outcome: Outcome) => {
    outcomes.push({ ...outcome, as });
    if (!quiet) log(lineOf({ ...outcome, as }));
  };
  const attacks = wanted.filter((one) => 'run' in one);
  const summaries = attacks.length === 0 ? [] : await runAsBoth(attacks, unboxed, tell);
  const lasting = wanted.filter((one) => 'command' in one);
  if (lasting.length > 0 && !unboxed) await raidInstallation(lasting, tell('installation'));
  if (!unboxed && summaries.some(({ level }) => level === 'none')) tell('all')(noBox());
  process.stdout.write(`${JSON.stringify(reportOf(outcomes, summaries, performance.now() - startedAt))}\n`);
  return outcomes.every(({ found }) => found.length === 0) ? 0 : 1;
}

/** As root and as an ordinary user side by side, what is tried once beside them; where we are no root, as the user that we are. */
async function runAsBoth(
  attacks: readonly Attack[],
  unboxed: boolean,
  tell: (as: string) => (outcome: Outcome) => void,
): Promise<readonly RunnerSummary[]> {
  const runAs = (as: string, some: readonly Attack[], user: CommandUser | null) =>
    runAll(some, { user, unboxed, onOutcome: tell(as) });
  if (process.getuid?.() !== 0) return [await runAs('user', attacks, null)];
  const repeated = attacks.filter(({ once }) => once !== true);
  const onlyOnce = attacks.filter(({ once }) => once === true);
  const nobody = await nobodyUser();
  return Promise.all([
    runAs('root', repeated, null),
    runAs('user', repeated, nobody),
    ...(onlyOnce.length === 0 ? [] : [runAs('user', onlyOnce, nobody)]),
  ]);
}

/** Where bubblewrap is installed, nothing less will do. */
function noBox(): Outcome {
  const isInstalled = existsSync('/usr/bin/bwrap');
  const found = isInstalled ? [broken('bubblewrap is installed, and commands run without a sandbox')] : [];
  return { name: 'level', what: 'commands run in a sandbox', kind: 'probe', found, seconds: 0 };
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
