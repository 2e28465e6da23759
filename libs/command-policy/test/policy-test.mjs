/**
 * The tables of command lines, then hostile lines from a seed. What the policy approves without a box is run in a sandbox and must change
 * and show nothing, and run nothing that its verdict does not name; what it approves in the box must leave the work as it is.
 * `--long` runs 50,000 of them; `--seed N`, `--count N`; `--batch N` goes on at a batch.
 */
import { parseArgs } from 'node:util';
import { judgeCommand } from '../dist/index.js';
import { DEFAULT_COMMAND_POLICY } from '../dist/types.js';
import { lexicalContext } from '../dist/lexical-context.js';
import { NETWORK_LINES, ORDINARY_LINES, WORK_LINES } from '../dist/testing/boxed-table.js';
import { COMMAND_TABLE } from '../dist/testing/command-table.js';
import {
  destroyingLine,
  hostileLine,
  plantedLine,
  randomFrom,
  tableLine,
} from '../dist/testing/hostile-lines.js';
import { KINDS_TABLE } from '../dist/testing/kinds-table.js';
import { openSandbox, sandboxMissing } from '../dist/testing/sandbox.js';

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    batch: { type: 'string', default: '0' },
  },
});
const BATCH = 250;
const MODES = ['reads', 'boxed'];

const table = judgeTables();
const skipped = sandboxMissing();
const kinds = { lines: KINDS_TABLE.length, wrong: 0, executed: 0, violations: 0 };
const generated = Object.fromEntries(
  MODES.map((mode) => [mode, { seed: Number(options.seed), made: 0, executed: 0, violations: 0, skipped }]),
);
if (skipped === null) {
  // Side by side, each in a sandbox of its own: most of it is waiting for shells.
  await Promise.all([
    withSandbox({ secretsInGit: true }, judgeKinds),
    ...MODES.map((mode) => withSandbox({ secretsInGit: false }, (sandbox) => runGenerated(sandbox, mode))),
  ]);
}
const failed =
  table.attacksApproved > 0 ||
  table.wrong > 0 ||
  table.boxed.ordinaryAsked / table.boxed.ordinary > 0.05 ||
  kinds.wrong > 0 ||
  kinds.violations > 0 ||
  MODES.some((mode) => generated[mode].violations > 0) ||
  (skipped !== null && process.env['REQUIRE_SANDBOX'] === '1');
console.log(`attacks approved: ${table.attacksApproved} of ${table.attacks}`);
console.log(`ordinary lines asked in the box: ${table.boxed.ordinaryAsked} of ${table.boxed.ordinary}`);
console.log(`lines with another verdict than the tables': ${table.wrong} of ${table.lines}`);
if (skipped !== null) console.log(`lines in a workspace, and hostile lines: skipped, ${skipped}`);
else {
  console.log(
    `lines in a workspace with another verdict than the table's: ${kinds.wrong} of ${kinds.lines}; ` +
      `${kinds.executed} approved and run, ${kinds.violations} with an effect of their own`,
  );
  for (const mode of MODES) {
    const { made, executed, violations } = generated[mode];
    const effect = mode === 'boxed' ? 'that lost work' : 'with an effect of their own';
    console.log(
      `hostile lines, ${mode}: ${made} made, ${executed} approved and run, ${violations} ${effect}`,
    );
  }
}
console.log(JSON.stringify({ ok: !failed, table, kinds, generated }));
process.exitCode = failed ? 1 : 0;

function judgeTables() {
  const boxed = { ordinary: ORDINARY_LINES.length, ordinaryAsked: 0 };
  const counts = { lines: 0, attacks: 0, attacksApproved: 0, wrong: 0, boxed };
  const box = lexicalContext({ boxed: true });
  const open = lexicalContext({ boxed: true, openedHosts: ['registry.example'] });
  const check = (command, context, isRight) => {
    const { decision, rule } = judgeCommand(command, DEFAULT_COMMAND_POLICY, context);
    counts.lines += 1;
    if (isRight(decision, rule)) return decision;
    counts.wrong += 1;
    console.error(`${context.boxed ? 'boxed: ' : ''}${JSON.stringify(command)}: ${decision} by ${rule}`);
    return decision;
  };
  for (const { kind, command, decision, boxed: inBox, rule } of COMMAND_TABLE) {
    const given = check(
      command,
      lexicalContext(),
      (got, by) => got === decision && (rule === null || by === rule),
    );
    counts.attacks += kind === 'ordinary' ? 0 : 1;
    counts.attacksApproved += kind !== 'ordinary' && given === 'approve' ? 1 : 0;
    check(command, box, (got) => got === inBox);
  }
  for (const line of ORDINARY_LINES)
    boxed.ordinaryAsked += check(line, box, (got) => got === 'approve') === 'approve' ? 0 : 1;
  for (const line of WORK_LINES) check(line, box, (got) => got !== 'approve');
  for (const line of NETWORK_LINES) {
    check(line, box, (got) => got === 'approve');
    check(line, open, (got) => got === 'ask');
  }
  return counts;
}

async function withSandbox(planting, use) {
  const sandbox = await openSandbox(planting);
  try {
    await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function judgeKinds(sandbox) {
  for (const mode of MODES) {
    const lines = [];
    for (const { kind, command, decision, boxed } of KINDS_TABLE) {
      const wanted = mode === 'boxed' ? boxed : decision;
      const verdict = judgeCommand(command, DEFAULT_COMMAND_POLICY, sandbox.context(mode === 'boxed'));
      if (verdict.decision === 'approve') lines.push({ line: command, programs: programsOf(verdict) });
      if (verdict.decision === wanted) continue;
      kinds.wrong += 1;
      console.error(
        `${mode}, ${kind}: ${JSON.stringify(command)}: ${verdict.decision} by ${verdict.rule}, not ${wanted}`,
      );
    }
    kinds.violations += await violationsOf(sandbox, lines, mode);
    kinds.executed += lines.length;
  }
}

async function runGenerated(sandbox, mode) {
  const wanted = Number(options.count ?? (options.long ? 50_000 : 500));
  const counts = generated[mode];
  const seen = new Set();
  const isNew = (line) => !seen.has(line) && seen.add(line);
  for (let batch = Number(options.batch); counts.executed < wanted; batch += 1) {
    const random = randomFrom(counts.seed * 1_000_003 + batch);
    const lines = [];
    while (lines.length < Math.min(BATCH, wanted - counts.executed)) {
      const line = lineFor(mode, random).replaceAll('/workspace', sandbox.root);
      counts.made += 1;
      const verdict = judgeCommand(line, DEFAULT_COMMAND_POLICY, sandbox.context(mode === 'boxed'));
      if (verdict.decision === 'approve' && isNew(line)) lines.push({ line, programs: programsOf(verdict) });
    }
    counts.violations += await violationsOf(sandbox, lines, mode);
    counts.executed += lines.length;
    const { made, executed, violations } = counts;
    console.error(
      `${mode}, batch ${batch}: ${executed} of ${wanted} run, ${made} made, ${violations} violations`,
    );
  }
}

function lineFor(mode, random) {
  if (mode === 'boxed') return destroyingLine(random);
  const kind = random();
  return kind < 0.3 ? hostileLine(random) : kind < 0.6 ? plantedLine(random) : tableLine(random);
}

async function violationsOf(sandbox, lines, mode) {
  const found = await sandbox.run(lines, mode);
  for (const { line, what } of found) console.error(`VIOLATION ${what}: ${JSON.stringify(line)}`);
  return found.length;
}

/** What a verdict names. The listing of an archive (`tar -tz`) is known to need what unpacks it, which only reads. */
function programsOf({ parts }) {
  return new Set(parts.flatMap(({ program }) => (program === 'tar' ? ['tar', 'gzip', 'xz'] : [program])));
}
