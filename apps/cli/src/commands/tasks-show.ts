/** `bullpen tasks show`. */
import type { TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { ifThere } from '../optional-part.js';
import { taskDetails } from '../render/task-details.js';

export function registerTasksShow(tasks: Command, context: Context): void {
  const command = tasks
    .command('show')
    .description('everything about one task')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .action((id: string, _, self: Command) => show(context, id, self));
  withExamples(command, [
    ['bullpen tasks show task_…', 'state, output, cost, limits, attempts, tools'],
    ['bullpen tasks show task_… --json', 'the same as JSON'],
  ]);
}

async function show(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const task = await client.tasks.get(id);
  const [usage, attempts, briefing] = await Promise.all([
    ifThere(context, 'its usage', client.tasks.usage(id)),
    ifThere(context, 'its attempts', client.tasks.attempts(id)),
    ifThere(context, 'its briefing', client.tasks.briefing(id)),
  ]);
  const modes =
    task.workflow === 'fsm' ? await ifThere(context, 'its modes', client.tasks.transitions(id)) : null;
  const { io } = context;
  if (options.json) return printJson(io, { task, usage, attempts, briefing, ...(modes && { modes }) });
  const waitsFor = await ifThere(context, 'what it waits for', whyItWaits(client, task));
  const look = { colors: io.outColors, width: io.columns(), now: io.now() };
  io.out(taskDetails({ task, usage, attempts, briefing, modes, waitsFor }, look));
}

/** Events that are looked at: what made the task wait is among the last ones. */
const LOOK_BACK = 50;

/** What stood against the last model call of a task that waits because of it. */
async function whyItWaits(
  client: Client,
  { id, state, waitReason, eventSeq }: TaskView,
): Promise<string | null> {
  if (state !== 'waiting' || (waitReason !== 'provider' && waitReason !== 'backoff')) return null;
  const page = await client.tasks.events(id, { after: Math.max(0, eventSeq - LOOK_BACK), limit: LOOK_BACK });
  for (const event of page.data.toReversed()) {
    if (event.type === 'provider.waiting' || event.type === 'retry.scheduled')
      return `${event.data.message} (${event.data.errorClass})`;
    if (event.type === 'attempt.ended' && event.data.failure) return event.data.failure.message;
  }
  return null;
}
