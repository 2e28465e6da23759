/** `bullpen tasks prompts`: what each model call of a task sent, read from the cache, took and cost. */
import { ApiError } from '@bullpen/client';
import type { ModelCallBodies, ModelCallView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { plainText } from '../render/plain-text.js';
import { promptTable } from '../render/prompt-table.js';

const PAGE = 200;

export function registerTasksPrompts(tasks: Command, context: Context): void {
  const command = tasks
    .command('prompts')
    .description('the model calls of a task: sizes, cache, times, request ids')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--bodies', 'what each of them sent and got, of a task that was started with --keep-bodies')
    .action((id: string, _, self: Command) => prompts(context, id, self));
  withExamples(command, [
    ['bullpen tasks prompts task_…', 'how much of each prompt came from the cache, and how long it took'],
    ['bullpen tasks prompts task_… --json', 'all figures, also the parts of the window'],
    ['bullpen tasks prompts task_… --bodies | jq .request', 'what was sent, call by call'],
  ]);
}

async function prompts(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<{ readonly bodies?: boolean }>(self);
  const { io } = context;
  const { client } = connect(context, options);
  const calls = await allCalls(client, id);
  if (options.bodies) return printBodies(context, client, id, calls);
  if (options.json) return printJson(io, calls);
  if (calls.length === 0) return io.err(io.errColors.dim('No model has been called yet.'));
  io.out(promptTable(calls, { width: io.tableColumns(), colors: io.outColors }));
}

async function allCalls(client: Client, id: string): Promise<readonly ModelCallView[]> {
  const calls: ModelCallView[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.tasks.modelCalls(id, { limit: PAGE, after });
    calls.push(...page.data);
    if (page.nextCursor === null) return calls;
    after = page.nextCursor;
  }
}

/** One JSON document a line for each call of which something is kept. What was cut is no JSON any more, and stays a text. */
async function printBodies(
  { io }: Context,
  client: Client,
  id: string,
  calls: readonly ModelCallView[],
): Promise<void> {
  let kept = 0;
  for (const { id: callId, turn, model } of calls) {
    const bodies = await ifKept(client.tasks.modelCallBodies(id, callId));
    if (bodies === null) continue;
    kept += 1;
    const { request, response, keptAt } = bodies;
    const parts = { request: valueOf(request.text), response: valueOf(response.text) };
    io.out(plainText(JSON.stringify({ callId, turn, model, keptAt, ...parts })));
  }
  if (kept === 0) io.err(io.errColors.dim('Nothing is kept of its calls: start a task with --keep-bodies.'));
}

async function ifKept(bodies: Promise<ModelCallBodies>): Promise<ModelCallBodies | null> {
  try {
    return await bodies;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null;
    throw error;
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only the beginning was kept.
    return text;
  }
}
