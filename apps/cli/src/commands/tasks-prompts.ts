/** `bullpen tasks prompts`: what each model call of a task sent, read from the cache, took and cost. */
import type { ModelCallView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { promptTable } from '../render/prompt-table.js';

const PAGE = 200;

export function registerTasksPrompts(tasks: Command, context: Context): void {
  const command = tasks
    .command('prompts')
    .description('the model calls of a task: sizes, cache, times, request ids')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .action((id: string, _, self: Command) => prompts(context, id, self));
  withExamples(command, [
    ['bullpen tasks prompts task_…', 'how much of each prompt came from the cache, and how long it took'],
    ['bullpen tasks prompts task_… --json', 'all figures, also the parts of the window'],
  ]);
}

async function prompts(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const calls = await allCalls(connect(context, options).client, id);
  if (options.json) return printJson(io, calls);
  if (calls.length === 0) return io.err(io.errColors.dim('No model has been called yet.'));
  io.out(promptTable(calls, { width: io.tableColumns(), colors: io.outColors }));
}

async function allCalls(client: Client, id: string): Promise<readonly ModelCallView[]> {
  const calls: ModelCallView[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.tasks.modelCalls(id, { limit: PAGE, after });
    calls.push(...page.data);
    if (page.nextCursor === null) return calls;
    after = page.nextCursor;
  }
}
