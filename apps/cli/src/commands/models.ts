/** `bullpen models`: what tasks can be given to think with. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { modelTable } from '../render/model-table.js';

export function registerModels(program: Command, context: Context): void {
  const models = program.command('models');
  const all = models
    .command('list', { isDefault: true })
    .alias('ls')
    .description('windows, answers, settings and prices of all')
    .action((_, self: Command) => list(context, self));
  withExamples(models, [['bullpen models', 'all of them']]);
  withExamples(all, [
    ['bullpen models', 'windows, answers, settings, prices'],
    ['bullpen models --json | jq ".data[].id"', 'for scripts'],
  ]);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const data = await connect(context, options).client.identity.models();
  if (options.json) printJson(io, { data });
  else io.out(modelTable(data, io.tableColumns(), io.outColors));
}
