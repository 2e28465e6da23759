/** `bullpen tasks transitions` and `bullpen tasks transition`: the way of a task through the work modes, and where it goes next. */
import type { TransitionsView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { transitionViews } from '../render/transition-views.js';

/** Adds the look at the modes of a task. */
export function registerTasksTransitions(tasks: Command, context: Context): void {
  const command = tasks
    .command('transitions')
    .description('the work modes of a task: its way, and where it may go from here')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .action(async (id: string, _, self: Command) => {
      const options = optionsOf(self);
      show(context, await connect(context, options).client.tasks.transitions(id), options.json === true);
    });
  withExamples(command, [
    ['bullpen tasks transitions task_…', 'its mode, the way it took, and the triggers that lead on'],
    ['bullpen tasks transitions task_… --json', 'the same as JSON, the refused ones included'],
  ]);
}

/** Adds the firing of a trigger. */
export function registerTasksTransition(tasks: Command, context: Context): void {
  const command = tasks
    .command('transition')
    .description('fire a trigger of the work mode that a task is in; its agent is told')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .argument('<trigger>', 'the trigger (see: bullpen tasks transitions)')
    .option('--reason <text>', 'why; the agent reads it')
    .action((id: string, trigger: string, _, self: Command) => fire(context, id, trigger, self));
  withExamples(command, [
    ['bullpen tasks transition task_… code_complete', 'on to the tests'],
    ['bullpen tasks transition task_… rejected --reason "not in this file"', 'the agent is told why'],
  ]);
}

async function fire(context: Context, id: string, trigger: string, self: Command): Promise<void> {
  const { reason, ...options } = optionsOf<{ readonly reason?: string }>(self);
  const { client } = connect(context, options);
  const view = await client.tasks.fireTrigger(id, { trigger, ...(reason !== undefined && { reason }) });
  if (options.json) return printJson(context.io, view);
  context.io.err(`${id} is now in mode ${view.mode}`);
}

function show({ io }: Context, view: TransitionsView, isJson: boolean): void {
  if (isJson) printJson(io, view);
  else if (view.workflow === 'free')
    io.err(io.errColors.dim('It works without modes: its workflow is free.'));
  else io.out(transitionViews(view, { colors: io.outColors, width: io.tableColumns() }).join('\n'));
}
