/**
 * The tables of command lines, then hostile lines from a seed: what the policy approves of them is run in a sandbox and must do
 * nothing that its verdict does not name. `--long` runs 50,000 of them; `--seed N`, `--count N`; `--batch N` goes on at a batch.
 */
import { parseArgs } from 'node:util';
import { DEFAULT_COMMAND_POLICY, judgeCommand, lexicalContext } from '../dist/index.js';
import { COMMAND_TABLE } from '../dist/testing/command-table.js';
import { hostileLine, plantedLine, randomFrom } from '../dist/testing/hostile-lines.js';
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

const table = judgeTable();
const skipped = sandboxMissing();
const kinds = { lines: KINDS_TABLE.length, wrong: 0, executed: 0, violations: 0 };
const generated = { seed: Number(options.seed), made: 0, executed: 0, violations: 0, skipped };
if (skipped === null) {
  await withSandbox({ secretsInGit: true }, judgeKinds);
  await withSandbox({ secretsInGit: false }, runGenerated);
}
const failed =
  table.attacksApproved > 0 ||
  table.wrong > 0 ||
  table.ordinaryApproved / table.ordinary < 0.95 ||
  kinds.wrong > 0 ||
  kinds.violations > 0 ||
  generated.violations > 0 ||
  (skipped !== null && process.env['REQUIRE_SANDBOX'] === '1');
console.log(`attacks approved: ${table.attacksApproved} of ${table.attacks}`);
console.log(`ordinary approved: ${table.ordinaryApproved} of ${table.ordinary}`);
console.log(`lines with another verdict than the table's: ${table.wrong} of ${COMMAND_TABLE.length}`);
if (skipped !== null) console.log(`lines in a workspace, and hostile lines: skipped, ${skipped}`);
else {
  console.log(
    `lines in a workspace with another verdict than the table's: ${kinds.wrong} of ${kinds.lines}; ` +
      `${kinds.executed} approved and run, ${kinds.violations} with an effect of their own`,
  );
  console.log(
    `hostile lines: ${generated.made} made, ${generated.executed} approved and run, ${generated.violations} with an effect of their own`,
  );
}
console.log(JSON.stringify({ ok: !failed, table, kinds, generated }));
process.exitCode = failed ? 1 : 0;

function judgeTable() {
  const counts = { attacks: 0, attacksApproved: 0, ordinary: 0, ordinaryApproved: 0, wrong: 0 };
  for (const { kind, command, decision, rule } of COMMAND_TABLE) {
    const verdict = judgeCommand(command, DEFAULT_COMMAND_POLICY, lexicalContext());
    const isApproved = verdict.decision === 'approve';
    counts.ordinary += kind === 'ordinary' ? 1 : 0;
    counts.attacks += kind === 'attack' || kind === 'danger' ? 1 : 0;
    counts.ordinaryApproved += kind === 'ordinary' && isApproved ? 1 : 0;
    counts.attacksApproved += kind !== 'ordinary' && isApproved ? 1 : 0;
    if (verdict.decision === decision && (rule === null || verdict.rule === rule)) continue;
    counts.wrong += 1;
    console.error(
      `${JSON.stringify(command)}: ${verdict.decision} by ${verdict.rule}, not ${decision}${rule === null ? '' : ` by ${rule}`}`,
    );
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
  const lines = [];
  for (const { kind, command, decision } of KINDS_TABLE) {
    const verdict = judgeCommand(command, DEFAULT_COMMAND_POLICY, sandbox.context());
    if (verdict.decision === 'approve') lines.push({ line: command, programs: programsOf(verdict) });
    if (verdict.decision === decision) continue;
    kinds.wrong += 1;
    console.error(
      `${kind}: ${JSON.stringify(command)}: ${verdict.decision} by ${verdict.rule}, not ${decision}`,
    );
  }
  kinds.violations = await violationsOf(sandbox, lines);
  kinds.executed = lines.length;
}

async function runGenerated(sandbox) {
  const wanted = Number(options.count ?? (options.long ? 50_000 : 500));
  const seen = new Set();
  const isNew = (line) => !seen.has(line) && seen.add(line);
  for (let batch = Number(options.batch); generated.executed < wanted; batch += 1) {
    const random = randomFrom(generated.seed * 1_000_003 + batch);
    const lines = [];
    while (lines.length < Math.min(BATCH, wanted - generated.executed)) {
      const text = random() < 0.5 ? hostileLine(random) : plantedLine(random);
      const line = text.replaceAll('/workspace', sandbox.root);
      generated.made += 1;
      const verdict = judgeCommand(line, DEFAULT_COMMAND_POLICY, sandbox.context());
      if (verdict.decision === 'approve' && isNew(line)) lines.push({ line, programs: programsOf(verdict) });
    }
    generated.violations += await violationsOf(sandbox, lines);
    generated.executed += lines.length;
    const { made, executed, violations } = generated;
    console.error(`batch ${batch}: ${executed} of ${wanted} run, ${made} made, ${violations} violations`);
  }
}

async function violationsOf(sandbox, lines) {
  const found = await sandbox.run(lines);
  for (const { line, what } of found) console.error(`VIOLATION ${what}: ${JSON.stringify(line)}`);
  return found.length;
}

/** What a verdict names. The listing of an archive (`tar -tz`) is known to need what unpacks it, which only reads. */
function programsOf({ parts }) {
  return new Set(
    parts.flatMap(({ program, words }) => [
      ...(program === 'tar' ? ['tar', 'gzip'] : [program]),
      // Code of the project, approved as such.
      ...(/^(\.\/)?node_modules\/\.bin\//.test(words[0] ?? '') ? [`workspace/${program}`] : []),
    ]),
  );
}
