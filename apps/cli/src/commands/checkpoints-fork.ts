/** `bullpen checkpoints fork`: a new task that goes on from a checkpoint, beside the one that took it. */
import type { ForkCheckpoint } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, PATIENT_RETRIES, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { followToEnd } from './follow-to-end.js';
import { limitsOf, parseBudget, parsePositive } from './task-input.js';

interface Flags {
  readonly agent?: string;
  readonly model?: string;
  readonly title?: string;
  readonly budget?: string;
  readonly turns?: number;
  readonly tokens?: number;
  readonly follow?: true;
}

/** Adds `checkpoints fork`. */
export function registerCheckpointsFork(checkpoints: Command, context: Context): void {
  const command = checkpoints
    .command('fork')
    .description('a new task that goes on from there, with the files and the conversation as they were')
    .addArgument(
      new IdArgument('<id>', ['ckpt', 'task'], 'id of the checkpoint, or of a task: its newest one'),
    )
    .argument('[message]', 'what the agent should do from there on')
    .option('-a, --agent <name>', 'another agent goes on')
    .option('-m, --model <name>', 'another model')
    .option('--title <text>', 'title; default: that of the other task')
    .option('-b, --budget <usd>', 'cost limit of the new task, or none', parseBudget)
    .option('-t, --turns <n>', 'turn limit of the new task', parsePositive)
    .option('--tokens <n>', 'token limit of the new task', parsePositive)
    .option('-f, --follow', 'watch it live, like run')
    .action((id: string, message: string | undefined, _, self: Command) => fork(context, id, message, self));
  withExamples(command, [
    ['bullpen checkpoints fork ckpt_… "Try it with Postgres instead"', 'the other task is not changed'],
    ['bullpen checkpoints fork ckpt_… --model claude-opus-5-5 -f', 'another model, watched live'],
  ]);
}

async function fork(context: Context, id: string, message: string | undefined, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { agent, model, title, follow } = options;
  const body: ForkCheckpoint = {
    ...(message !== undefined && { message }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
    ...limitsOf(options),
  };
  const connection = connect(context, options, follow ? PATIENT_RETRIES : undefined);
  const { checkpoints, tasks } = connection.client;
  const task = await (id.startsWith('task_') ? tasks : checkpoints).fork(id, body);
  // What came along of the conversation happened in the other task.
  if (follow) return followToEnd(context, connection, task, options.json === true, task.eventSeq);
  if (options.json) return printJson(context.io, task);
  context.io.err(`${task.id} goes on from there. Watch it: ${context.command} tasks watch ${task.id}`);
}
