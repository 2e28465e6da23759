/**
 * The table of command lines, then hostile lines from a seed: what the policy approves of them is run in a sandbox and must do
 * nothing that its verdict does not name. `--long` runs 50,000 of them; `--seed N`, `--count N`; `--batch N` goes on at a batch.
 */
import { parseArgs } from 'node:util';
import { DEFAULT_COMMAND_POLICY, judgeCommand, lexicalContext } from '../dist/index.js';
import { COMMAND_TABLE } from '../dist/testing/command-table.js';
import { hostileLine, randomFrom } from '../dist/testing/hostile-lines.js';
import { openSandbox, sandboxContext, sandboxMissing } from '../dist/testing/sandbox.js';

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
const generated = await runGenerated();
const failed =
  table.attacksApproved > 0 ||
  table.wrong > 0 ||
  table.ordinaryApproved / table.ordinary < 0.95 ||
  generated.violations > 0 ||
  (generated.skipped !== null && process.env['REQUIRE_SANDBOX'] === '1');
console.log(`attacks approved: ${table.attacksApproved} of ${table.attacks}`);
console.log(`ordinary approved: ${table.ordinaryApproved} of ${table.ordinary}`);
console.log(`lines with another verdict than the table's: ${table.wrong} of ${COMMAND_TABLE.length}`);
if (generated.skipped !== null) console.log(`hostile lines: skipped, ${generated.skipped}`);
else
  console.log(
    `hostile lines: ${generated.made} made, ${generated.executed} approved and run, ${generated.violations} with an effect of their own`,
  );
console.log(JSON.stringify({ ok: !failed, table, generated }));
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

async function runGenerated() {
  const skipped = sandboxMissing();
  const counts = { seed: Number(options.seed), made: 0, executed: 0, violations: 0, skipped };
  if (skipped !== null) return counts;
  const wanted = Number(options.count ?? (options.long ? 50_000 : 500));
  const sandbox = await openSandbox();
  const seen = new Set();
  try {
    for (let batch = Number(options.batch); counts.executed < wanted; batch += 1) {
      const random = randomFrom(counts.seed * 1_000_003 + batch);
      const lines = [];
      while (lines.length < Math.min(BATCH, wanted - counts.executed)) {
        const line = hostileLine(random);
        counts.made += 1;
        if (seen.has(line)) continue;
        const verdict = judgeCommand(line, DEFAULT_COMMAND_POLICY, sandboxContext());
        if (verdict.decision !== 'approve') continue;
        seen.add(line);
        lines.push({ line, programs: new Set(verdict.parts.flatMap(({ program }) => startedBy(program))) });
      }
      for (const { line, what } of await sandbox.run(lines)) {
        counts.violations += 1;
        console.error(`VIOLATION ${what}: ${JSON.stringify(line)}`);
      }
      counts.executed += lines.length;
      console.error(
        `batch ${batch}: ${counts.executed} of ${wanted} run, ${counts.made} made, ${counts.violations} violations`,
      );
    }
  } finally {
    await sandbox.close();
  }
  return counts;
}

/** What a program starts besides itself. The listing of an archive (`tar -tz`) is known to need what unpacks it, which only reads. */
function startedBy(program) {
  return program === 'tar' ? ['tar', 'gzip'] : [program];
}
