/** `bullpen rewind`: takes the newest exchanges of a conversation back. */
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { oneLine } from '../render/plain-text.js';
import { truncate } from '../render/width.js';
import { parsePositive } from './task-input.js';

interface Flags {
  readonly turns?: number;
  readonly to?: string;
}

const SHOWN = 60;

export function registerRewind(program: Command, context: Context): void {
  const command = program
    .command('rewind')
    .description('take the newest exchanges of a conversation back; what tools did stays done')
    .argument('<id>', 'id of a task that waits for a message or is paused')
    .addOption(
      new Option(
        '-n, --turns <n>',
        'so many exchanges: messages of yours with all that came after (default: 1)',
      )
        .argParser(parsePositive)
        .conflicts('to'),
    )
    .option('--to <message>', 'all from this message on')
    .action((id: string, _, self: Command) => rewind(context, id, self));
  withExamples(command, [
    ['bullpen rewind task_…', 'the last message and its answer'],
    ['bullpen rewind task_… --to inbox_…', 'that message and all that followed'],
  ]);
}

async function rewind(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const { to, turns = 1 } = options;
  const request = to === undefined ? { turns } : { messageId: to };
  const report = await connect(context, options).client.tasks.rewind(id, request);
  if (options.json) return printJson(io, report);
  const what = report.exchanges === 1 ? 'one exchange' : `${report.exchanges} exchanges`;
  io.err(`${id} is back before "${truncate(oneLine(report.text), SHOWN)}": ${what} taken back`);
}
