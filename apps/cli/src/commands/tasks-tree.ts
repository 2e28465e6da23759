/** `bullpen tasks tree`. */
import { TreeModel } from '@bullpen/client';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { renderTree } from '../render/tree-view.js';

export function registerTasksTree(tasks: Command, context: Context): void {
  const command = tasks
    .command('tree')
    .description('a task and all its subtasks, as they stand now')
    .addArgument(new IdArgument('<id>', ['task'], 'id of any task of the tree'))
    .action((id: string, _, self: Command) => tree(context, id, self));
  withExamples(command, [['bullpen tasks tree task_…', 'states, turns, tokens, cost and time of each']]);
}

async function tree(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const { io } = context;
  const found = await client.tasks.tree(id);
  if (options.json) return printJson(io, found);
  const view = {
    width: io.tableColumns(),
    height: Infinity,
    colors: io.outColors,
    now: io.now(),
    animate: false,
  };
  io.out(renderTree(TreeModel.of(found), view).join('\n'));
}
