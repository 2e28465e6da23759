/** `bullpen run`: hands a task in and shows what it and its subtasks say and do until it has ended. */
import type { Command } from 'commander';
import { connect, optionsOf, PATIENT_RETRIES, printJson, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdOption } from '../ids/id-parameters.js';
import { attachedFiles, withAttachments } from './attachments.js';
import { followToEnd } from './follow-to-end.js';
import { textOf } from './message.js';
import { limitsOf, taskBody, withTaskFlags, type TaskFlags } from './task-input.js';

interface RunFlags extends TaskFlags {
  readonly continue?: string;
  readonly detach?: boolean;
}

export function registerRun(program: Command, context: Context): void {
  const command = withTaskFlags(program.command('run'))
    .addOption(
      new IdOption(
        '-c, --continue <task>',
        ['task'],
        'go on with this task; the prompt is your next message to it',
      ),
    )
    .option('--detach', 'submit it, print its id and exit')
    .action((prompt: string | undefined, _, self: Command) => {
      const options = optionsOf<RunFlags>(self);
      const { continue: id } = options;
      if (id === undefined) return run(context, prompt, options);
      refuseOthers(self);
      return goOn(context, id, prompt, options);
    });
  withExamples(command, [
    ['bullpen run "Explain this project" --dir .', 'read a copy of this folder'],
    ['bullpen run "Fix it" --git https://host/repo.git --allow write', 'in a clone'],
    ['bullpen run "What is wrong here?" --attach screen.png', 'with a picture'],
    ['bullpen run --continue task_… "Now add tests"', 'an ended task goes on from where it ended'],
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
  const files = attachedFiles(context, options);
  const connection = connect(context, options, PATIENT_RETRIES);
  const { client } = connection;
  const task = await client.tasks.create(await withAttachments(client, body, files));
  if (options.detach) {
    if (options.json) printJson(io, task);
    else io.out(task.id);
    return;
  }
  await followToEnd(context, connection, task, options.json === true);
}

/** Only what can change between two attempts may be given. */
const WITH_CONTINUE: ReadonlySet<string> = new Set(['continue', 'detach', 'budget', 'turns', 'tokens']);

function refuseOthers(command: Command): void {
  const given = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  const other = given.find((option) => !WITH_CONTINUE.has(option.attributeName()));
  if (other === undefined) return;
  const message = `${other.long ?? other.flags} cannot be changed with --continue: the task keeps what it began with.`;
  throw new CliError(EXIT.usage, message);
}

async function goOn(
  context: Context,
  id: string,
  prompt: string | undefined,
  options: Options<RunFlags>,
): Promise<void> {
  if (prompt === undefined) throw new CliError(EXIT.usage, 'Say how the task should go on.');
  const text = await textOf(context, prompt);
  const connection = connect(context, options, PATIENT_RETRIES);
  const { tasks } = connection.client;
  const before = await tasks.get(id);
  await tasks.sendMessage(id, { text, ...limitsOf(options) });
  const task = await tasks.get(id);
  if (!options.detach) return followToEnd(context, connection, task, options.json === true, before.eventSeq);
  if (options.json) printJson(context.io, task);
  else context.io.out(task.id);
}
