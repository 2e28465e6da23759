/** `bullpen rewind`: takes the newest part of a conversation back. */
import type { RewindTask } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { plural } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { truncate } from '../render/width.js';
import { parsePositive } from './task-input.js';

interface Flags {
  readonly turns?: number;
  readonly answers?: number;
  readonly to?: string;
}

const SHOWN = 60;

export function registerRewind(program: Command, context: Context): void {
  const command = program
    .command('rewind')
    .addArgument(new IdArgument('<id>', ['task'], 'id of a task that waits for a message or is paused'))
    .addOption(
      new Option('-n, --turns <n>', 'this many exchanges: your messages with all that followed (default: 1)')
        .argParser(parsePositive)
        .conflicts(['to', 'answers']),
    )
    .addOption(
      new Option('--answers <n>', 'this many answers of the agent, with the results of their calls')
        .argParser(parsePositive)
        .conflicts('to'),
    )
    .addOption(new IdOption('--to <message>', ['inbox'], 'everything from this message on'))
    .action((id: string, _, self: Command) => rewind(context, id, self));
  withExamples(command, [
    ['bullpen rewind task_…', 'the last message and its answer'],
    ['bullpen rewind task_… --to inbox_…', 'that message and all that followed'],
    [
      'bullpen rewind task_… --answers 1',
      'the last answer, for example of a failed task; then: bullpen retry task_…',
    ],
  ]);
}

async function rewind(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const report = await connect(context, options).client.tasks.rewind(id, requestOf(options));
  if (options.json) return printJson(io, report);
  const { exchanges, messages, text } = report;
  if (exchanges === 0) return io.err(`${id}: ${plural(messages, 'message')} taken back`);
  io.err(
    `${id} is back to before "${truncate(oneLine(text), SHOWN)}": ${plural(exchanges, 'exchange')} taken back`,
  );
}

function requestOf({ to, answers, turns = 1 }: Flags): RewindTask {
  if (to !== undefined) return { messageId: to };
  return answers === undefined ? { turns } : { answers };
}
