/**
 * Entry of the escape suite: hostile files, archives and programs against our tools and our boxes. What people read goes to stderr, a
 * line an attack; the last line on stdout is one JSON document. The exit code is 0 only when every attack came to nothing.
 */
import { AppError } from '@bullpen/contracts';
import { nobodyUser, type CommandUser } from '@bullpen/workspace';
import { chosen } from '../wire/options.js';
import type { Harm } from './attack.js';
import { inputs } from './inputs/index.js';
import { parseOptions } from './options.js';
import { probes } from './probes/index.js';
import type { Outcome } from './run-attacks.js';
import { runAll } from './runner.js';

const log = (line: string) => process.stderr.write(`${line}\n`);

interface Told extends Outcome {
  readonly as: string;
}

async function main(): Promise<number> {
  const { names, unboxed, quiet, list } = parseOptions(process.argv.slice(2));
  const attacks = chosen([...inputs, ...probes], names);
  if (list) {
    for (const { name, what } of attacks) process.stdout.write(`${name.padEnd(32)}  ${what}\n`);
    return 0;
  }
  const startedAt = performance.now();
  const outcomes: Told[] = [];
  const runAs = async (as: string, user: CommandUser | null): Promise<string> =>
    runAll(as === 'root' ? attacks.filter(({ once }) => once !== true) : attacks, {
      user,
      unboxed,
      onOutcome: (outcome) => {
        outcomes.push({ ...outcome, as });
        if (!quiet) log(lineOf(as, outcome));
      },
    });
  const isRoot = process.getuid?.() === 0;
  const levels = await Promise.all(
    isRoot ? [runAs('root', null), runAs('user', await nobodyUser())] : [runAs('user', null)],
  );
  const failures = outcomes.filter(({ found }) => found.length > 0);
  const count = (harm: Harm) =>
    outcomes.flatMap(({ found }) => found).filter((one) => one.harm === harm).length;
  const different = (kind: Outcome['kind']) =>
    new Set(outcomes.filter((outcome) => outcome.kind === kind).map(({ name }) => name)).size;
  const report = {
    inputs: different('input'),
    probes: different('probe'),
    runs: outcomes.length,
    as: isRoot ? ['root', 'user'] : ['user'],
    level: levels[0],
    escaped: count('escaped'),
    leftovers: count('leftover'),
    secretsSeen: count('secret'),
    networkReached: count('network'),
    broken: count('broken'),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
    failures: failures.map(({ as, name, found }) => ({ as, name, found })),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return failures.length === 0 ? 0 : 1;
}

function lineOf(as: string, { name, what, found, seconds }: Outcome): string {
  const verdict = found.length === 0 ? 'ok  ' : 'FAIL';
  const reasons = found.map((one) => `\n        ${one.harm}: ${one.what}`).join('');
  return `${verdict}  ${as}  ${name}  ${seconds.toFixed(1)} s${found.length === 0 ? '' : `  ${what}`}${reasons}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  log(error instanceof AppError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
