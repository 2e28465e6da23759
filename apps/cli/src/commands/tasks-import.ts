/** `bullpen tasks import`: an exported task, to read here and to fork. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { oneLine } from '../render/plain-text.js';
import { readJson } from './read-arguments.js';

/** Adds `tasks import`. */
export function registerTasksImport(tasks: Command, context: Context): void {
  const command = tasks
    .command('import')
    .description('an exported task, to read it and to fork it; nothing of it runs or counts here')
    .argument('<file>', 'what "tasks export --format json" gave; - reads it from stdin')
    .action((file: string, _, self: Command) => importTask(context, file, self));
  withExamples(command, [
    ['bullpen tasks import task.json', 'from a file'],
    ['bullpen tasks export task_… --json | bullpen --url URL tasks import -', 'into another installation'],
  ]);
}

async function importTask(context: Context, file: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const document = await readJson(context, file === '-' ? '-' : `@${file}`, 'the exported task');
  const task = await client.shares.import(document);
  if (options.json) return printJson(context.io, task);
  context.io.out(task.id);
  const { command } = context;
  context.io.err(
    `${oneLine(task.title)}: imported. Read it: ${command} tasks logs ${task.id}; go on from it: ${command} checkpoints fork ${task.id}`,
  );
}
