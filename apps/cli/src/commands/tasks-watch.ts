/** `bullpen tasks watch`: one tree, live. */
import type { TaskUsageView, TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { Interrupted } from '../errors.js';
import { exitCodeOfOutcome } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { follow } from '../live/follow.js';
import { openTreeDisplay } from '../live/tree-display.js';
import { TreeModel, type StreamItem } from '../live/tree-model.js';
import { outcomeLines, outputText, runDocument } from '../render/outcome.js';

interface WatchFlags {
  readonly events?: boolean;
}

const PATIENCE_MS = 120_000;

export function registerTasksWatch(tasks: Command, context: Context): void {
  const command = tasks
    .command('watch')
    .description('watch the tree of a task until it has ended; the exit code tells how')
    .argument('<id>', 'id of the task; its whole tree is shown')
    .option('--events', 'print every event as a JSON line instead')
    .action((id: string, _, self: Command) => watch(context, id, self));
  withExamples(command, [
    ['bullpen tasks watch task_…', 'the tree, redrawn as it changes'],
    ['bullpen tasks watch task_… --events | jq .type', 'JSON Lines for scripts'],
  ]);
}

async function watch(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<WatchFlags>(self);
  const { client } = connect(context, options);
  const { rootId } = await client.tasks.get(id);
  const leave = new AbortController();
  const release = context.onInterrupt(() => leave.abort(new Interrupted(`${rootId} goes on.`)));
  try {
    const ended = options.events
      ? await printEvents(context, client, rootId, leave.signal)
      : await showTree(context, client, rootId, leave.signal);
    context.setExitCode(exitCodeOfOutcome(ended.state, ended.stopCause));
    if (!options.events) report(context, ended, await client.tasks.usage(rootId), options.json === true);
  } finally {
    release();
  }
}

function report({ io }: Context, task: TaskView, usage: TaskUsageView, json: boolean): void {
  if (json) return printJson(io, runDocument(task, usage));
  io.err(outcomeLines(task, usage, io.errColors).join('\n'));
  const text = outputText(task.output);
  if (text !== '') io.out(text);
}

function printEvents({ io }: Context, client: Client, rootId: string, signal: AbortSignal): Promise<TaskView> {
  const onItem = (item: StreamItem): void => io.out(JSON.stringify(item));
  const onTrouble = (text: string | null): void => io.err(text ?? 'connected again');
  return follow({ client, rootId, signal, tree: true, patienceMs: PATIENCE_MS, onItem, onTrouble });
}

async function showTree({ io }: Context, client: Client, rootId: string, signal: AbortSignal): Promise<TaskView> {
  const display = openTreeDisplay({ io, model: new TreeModel(rootId) });
  try {
    return await follow({
      client,
      rootId,
      signal,
      tree: true,
      patienceMs: PATIENCE_MS,
      onItem: (item) => display.onItem(item),
      onTrouble: (message) => display.setNotice(message === null ? null : `connection lost, trying again: ${message}`),
    });
  } finally {
    display.close('keep');
  }
}
