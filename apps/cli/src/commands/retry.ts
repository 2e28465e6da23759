/** `bullpen retry`: another attempt at a failed task. */
import type { Limits, RetryTask } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { parsePositive, parseUsd } from './task-input.js';

interface RetryFlags {
  readonly message?: string;
  readonly budget?: string;
  readonly turns?: number;
  readonly tokens?: number;
}

export function registerRetry(program: Command, context: Context): void {
  const command = program
    .command('retry')
    .description('give a failed task another attempt, from where it stopped')
    .argument('<id>', 'id of the task (the root of its tree)')
    .option('-m, --message <text>', 'tell the agent something on the way')
    .option(
      '-b, --budget <usd>',
      'most that the tree may cost from now on, what it has cost included',
      parseUsd,
    )
    .option('-t, --turns <n>', 'most turns, those of earlier attempts included', parsePositive)
    .option('--tokens <n>', 'most tokens, those of earlier attempts included', parsePositive)
    .action((id: string, _, self: Command) => retry(context, id, self));
  withExamples(command, [
    ['bullpen retry task_…', 'what is done stays done and is not paid again'],
    ['bullpen retry task_… --budget 10', 'after it ran into its cost limit'],
  ]);
}

async function retry(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<RetryFlags>(self);
  const { client } = connect(context, options);
  const task = await client.tasks.retry(id, bodyOf(options));
  if (options.json) printJson(context.io, task);
  else context.io.err(`${id} is queued: attempt ${task.attempt}. Watch it: npx bullpen tasks watch ${id}`);
}

function bodyOf({ message, budget, turns, tokens }: RetryFlags): RetryTask {
  const limits: Partial<Limits> = {
    ...(budget !== undefined && { costUsd: budget }),
    ...(turns !== undefined && { turns }),
    ...(tokens !== undefined && { tokens }),
  };
  return { ...(message !== undefined && { message }), ...(Object.keys(limits).length > 0 && { limits }) };
}
