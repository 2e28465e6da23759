/** `bullpen failures`: failed tasks by how they failed. */
import type { FailureGroup } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { age } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';
import { parsePast } from './parse-times.js';
import { parsePositive } from './task-input.js';

interface FailuresFlags {
  readonly agent?: string;
  readonly since?: string;
  readonly limit: number;
}

export function registerFailures(program: Command, context: Context): void {
  const command = program
    .command('failures')
    .option('-a, --agent <name>', 'only tasks of this agent')
    .option('--since <time>', 'only those that failed since then: a span like 2h, or a time', parsePast)
    .option('-n, --limit <n>', 'at most this many groups', parsePositive, 20)
    .action((_, self: Command) => failures(context, self));
  withExamples(command, [
    ['bullpen failures --since 1d', 'what went wrong today'],
    ['bullpen retry --failed --cause error', 'then try those again'],
  ]);
}

async function failures(context: Context, self: Command): Promise<void> {
  const { agent, since, limit, ...options } = optionsOf<FailuresFlags>(self);
  const { client } = connect(context, options);
  const list = await client.tasks.failures({
    limit: Math.min(limit, 200),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && { from: since }),
  });
  const { io } = context;
  if (options.json) return printJson(io, list);
  if (list.data.length === 0) return io.err(io.errColors.dim('No failed tasks.'));
  io.out(table(list.data, context));
  const shown = list.data.reduce((sum, { count }) => sum + count, 0);
  if (list.total > shown)
    io.err(io.errColors.dim(`and ${list.total - shown} more in other groups: use --limit`));
}

function table(groups: readonly FailureGroup[], { io }: Context): string {
  return renderTable(
    groups,
    [
      { title: 'COUNT', value: ({ count }) => String(count), align: 'right' },
      { title: 'LAST', value: ({ lastAt }) => age(lastAt, io.now()), align: 'right' },
      {
        title: 'CAUSE',
        value: ({ cause, errorClass }) => oneLine(errorClass === null ? cause : `${cause} (${errorClass})`),
      },
      { title: 'MESSAGE', value: ({ message }) => oneLine(message), shrinkTo: 12 },
      { title: 'AGENTS', value: ({ agents }) => oneLine(agents.join(', ')), shrinkTo: 8 },
      { title: 'EXAMPLE', value: ({ exampleId }) => exampleId, ids: true },
    ],
    io.tableColumns(),
    io.outColors,
  );
}
