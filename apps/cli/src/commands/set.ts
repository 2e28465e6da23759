/** `bullpen set`: changes what may change while a task lives. */
import type { UpdateTask } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { parseDeadline } from './parse-times.js';
import { collect, parsePriority } from './task-input.js';

interface SetFlags {
  readonly title?: string;
  readonly priority?: number;
  readonly tag?: string[];
  /** A time, or `none`. */
  readonly deadline?: string;
  readonly profile?: string;
}

export function registerSet(program: Command, context: Context): void {
  const command = program
    .command('set')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--title <text>', 'new title')
    .option('-p, --priority <n>', 'head start in seconds over other queued tasks', parsePriority)
    .option('--tag <tag>', 'new tags, replacing the current ones (repeatable)', collect)
    .option('--profile <name>', 'model profile, or model, that answers from the next request on')
    .option('--deadline <time>', 'like 2h, 30m, a time, or none', (text) =>
      text === 'none' ? text : parseDeadline(text),
    )
    .action((id: string, _, self: Command) => set(context, id, self));
  withExamples(command, [
    ['bullpen set task_… --priority 60', 'as if it had been submitted a minute earlier'],
    ['bullpen set task_… --deadline none', ''],
    ['bullpen set task_… --profile small', 'the next request goes to this model profile'],
  ]);
}

async function set(context: Context, id: string, self: Command): Promise<void> {
  const { title, priority, tag, deadline, profile, ...options } = optionsOf<SetFlags>(self);
  const { client } = connect(context, options);
  const changes: UpdateTask = {
    ...(title !== undefined && { title }),
    ...(priority !== undefined && { priority }),
    ...(tag !== undefined && { tags: tag }),
    ...(profile !== undefined && { profile }),
    ...(deadline !== undefined && { deadlineAt: deadline === 'none' ? null : deadline }),
  };
  const task = await client.tasks.update(id, changes);
  if (options.json) printJson(context.io, task);
  else context.io.err(`${id} is changed: ${Object.keys(changes).join(', ') || 'nothing'}`);
}
