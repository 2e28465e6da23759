/** `bullpen tasks export`: a task to keep or to hand on, as the server gives it: masked, with everything below it. */
import { ExportFormat } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { plainText } from '../render/plain-text.js';

interface ExportFlags {
  readonly format: ExportFormat;
  readonly attachments?: boolean;
}

export function registerTasksExport(tasks: Command, context: Context): void {
  const command = tasks
    .command('export')
    .description('a task with everything below it, on stdout; keys, tokens and home folders are masked')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addOption(
      new Option('--format <format>', 'format of the export')
        .choices(ExportFormat.options)
        .default('markdown' satisfies ExportFormat),
    )
    .option('--attachments', 'in JSON: with its pictures and documents, in which nothing is masked')
    .action((id: string, _, self: Command) => exportTask(context, id, self));
  withExamples(command, [
    ['bullpen tasks export task_… > task.md', 'to read'],
    ['bullpen tasks export task_… --format json > task.json', 'to process, or to import elsewhere'],
  ]);
}

async function exportTask({ io, ...context }: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<ExportFlags>(self);
  const { client } = connect({ io, ...context }, options);
  const format = options.json ? 'json' : options.format;
  const document = await client.shares.export(id, format, {
    attachments: options.attachments === true,
  });
  // In JSON, what would steer a terminal is escaped.
  if (format === 'json') return io.outBytes(document);
  io.out(plainText(await new Response(document).text()).trimEnd());
}
