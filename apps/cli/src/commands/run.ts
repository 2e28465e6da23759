/** `bullpen run`: hands a task in and shows what it and its subtasks say and do until it has ended. */
import type { Command } from 'commander';
import { connect, optionsOf, PATIENT_RETRIES, printJson, type Context, type Options } from '../context.js';
import { withExamples } from '../help.js';
import { followToEnd } from './follow-to-end.js';
import { taskBody, withTaskFlags, type TaskFlags } from './task-input.js';

interface RunFlags extends TaskFlags {
  readonly detach?: boolean;
}

export function registerRun(program: Command, context: Context): void {
  const command = withTaskFlags(program.command('run'))
    .option('--detach', 'submit it, print its id and exit')
    .action((prompt: string | undefined, _, self: Command) =>
      run(context, prompt, optionsOf<RunFlags>(self)),
    );
  withExamples(command, [
    ['bullpen run "Explain this project" --dir .', 'read a copy of this folder'],
    ['bullpen run "Fix it" --git https://host/repo.git --allow write', 'in a clone'],
    ['bullpen run - --budget 2 --json < prompt.txt', 'one JSON document at the end'],
  ]);
  command.addHelpText(
    'after',
    '\nCtrl-C leaves the task running and says how to watch it again;\na second Ctrl-C cancels it.',
  );
}

async function run(context: Context, prompt: string | undefined, options: Options<RunFlags>): Promise<void> {
  const { io } = context;
  const body = await taskBody(context, prompt, options);
  const connection = connect(context, options, PATIENT_RETRIES);
  const { client } = connection;
  const task = await client.tasks.create(body);
  if (options.detach) {
    if (options.json) printJson(io, task);
    else io.out(task.id);
    return;
  }
  await followToEnd(context, connection, task, options.json === true);
}
