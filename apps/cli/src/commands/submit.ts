/** `bullpen submit`: hands a task in and prints its id. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { attachedFiles, withAttachments } from './attachments.js';
import { taskBody, withTaskFlags, type TaskFlags } from './task-input.js';

export function registerSubmit(program: Command, context: Context): void {
  const command = withTaskFlags(program.command('submit')).action(
    (prompt: string | undefined, _, self: Command) => submit(context, prompt, self),
  );
  withExamples(command, [
    ['bullpen submit "Explain the build" --dir .', 'prints task_…'],
    ['id=$(bullpen submit - < prompt.txt)', 'the prompt from a file'],
    ['bullpen submit --agent triage --input @issue.json', 'typed input for an agent that takes it'],
  ]);
}

async function submit(context: Context, prompt: string | undefined, self: Command): Promise<void> {
  const options = optionsOf<TaskFlags>(self);
  const body = await taskBody(context, prompt, options);
  const files = attachedFiles(context, options);
  const { client } = connect(context, options);
  const task = await client.tasks.create(await withAttachments(client, body, files));
  if (options.json) printJson(context.io, task);
  else context.io.out(task.id);
}
