/** `bullpen usage`: tokens and money. */
import { UsageGroupBy } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context, type Options } from '../context.js';
import { withExamples } from '../help.js';
import { IdOption } from '../ids/id-parameters.js';
import { usageTable, type UsageRow } from '../render/usage-table.js';
import { plural } from '../render/format.js';

interface UsageFlags {
  readonly by: UsageGroupBy;
  readonly task?: string;
}

export function registerUsage(program: Command, context: Context): void {
  const command = program
    .command('usage')
    .addOption(new Option('--by <what>', 'one line for each').choices(UsageGroupBy.options).default('day'))
    .addOption(new IdOption('--task <id>', ['task'], 'only this task: itself, by model, and its tree'))
    .action((_, self: Command) => usage(context, optionsOf<UsageFlags>(self)));
  withExamples(command, [
    ['bullpen usage', 'by day'],
    ['bullpen usage --by model', 'by model'],
    ['bullpen usage --task task_…', 'one task and its subtasks'],
  ]);
}

async function usage(context: Context, options: Options<UsageFlags>): Promise<void> {
  const { client } = connect(context, options);
  if (options.task === undefined) await reportAll(context, client, options);
  else await reportTask(context, client, options.task, options.json === true);
}

async function reportAll({ io }: Context, client: Client, options: Options<UsageFlags>): Promise<void> {
  const report = await client.usage.report({ groupBy: options.by });
  if (options.json) return printJson(io, report);
  const rows = report.data.map((row) => ({ name: row.key, totals: row }));
  print(io, options.by.toUpperCase(), [...rows, { name: 'total', totals: report.total, bold: true }]);
}

async function reportTask({ io }: Context, client: Client, id: string, json: boolean): Promise<void> {
  const usage = await client.tasks.usage(id);
  if (json) return printJson(io, usage);
  const models = usage.byModel.map((row) => ({ name: `  ${row.model}`, totals: row }));
  // By model it is all of the tree.
  const tree = { name: 'with subtasks', totals: usage.tree, bold: true };
  print(io, 'TASK', [{ name: 'itself', totals: usage.own }, tree, ...models]);
}

function print(io: Context['io'], title: string, rows: readonly UsageRow[]): void {
  io.out(usageTable(title, rows, io.tableColumns(), io.outColors));
  const all = rows.find((row) => row.bold)?.totals;
  if (all?.simulated)
    io.err(
      io.errColors.yellow('Part of this was answered by the local simulator: no money was spent on it.'),
    );
  if (all && all.unpricedCalls > 0)
    io.err(
      io.errColors.yellow(
        `${plural(all.unpricedCalls, 'call')} went to models without a known price, counted as $0.00.`,
      ),
    );
}
