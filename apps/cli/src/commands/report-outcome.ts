/** What every command that waited for a task prints in the end. */
import { ApiError, UnexpectedAnswer } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { printJson, type Client, type Context } from '../context.js';
import { EXIT, exitCodeOfOutcome } from '../exit-codes.js';
import type { NeedsPeople } from '../live/needs-people.js';
import { waitingLines } from '../render/inbox-table.js';
import { ifThere } from '../optional-part.js';
import { outcomeLines, outputText, runDocument, type Changes } from '../render/outcome.js';
import { plainText } from '../render/plain-text.js';
import { KEY_STEPS } from '../render/provider-wait.js';

export interface OutcomeOptions {
  readonly json: boolean;
  /** What was on the screen last: an output that only says the same is not shown twice on one terminal. */
  readonly shown?: string;
}

/** Sets the exit code by the outcome; the output goes to stdout and all else to stderr, or everything as JSON to stdout. */
export async function reportOutcome(
  context: Context,
  client: Client,
  task: TaskView,
  { json, shown = '' }: OutcomeOptions,
): Promise<void> {
  const { io } = context;
  context.setExitCode(exitCodeOfOutcome(task.state, task.stopCause));
  const usage = await ifThere(context, 'its usage', client.tasks.usage(task.id));
  const changes = await changesOf(client, task);
  if (json) return printJson(io, runDocument(task, usage, changes));
  io.err(outcomeLines(task, usage, io.errColors, changes).join('\n'));
  const text = outputText(task.output);
  const seen = io.stdoutIsTerminal && text.trim() === plainText(shown).trim();
  if (text !== '' && !seen) io.out(text);
}

/** Says what the tree waits for and how to give it that: the task goes on waiting, this command does not. Sets exit code 4. */
export async function reportWaiting(
  context: Context,
  client: Client,
  { task, interactions, waitsForKey }: NeedsPeople,
  { json, shown = '' }: OutcomeOptions,
): Promise<void> {
  const { io } = context;
  context.setExitCode(EXIT.needsInput);
  const usage = await ifThere(context, 'its usage', client.tasks.usage(task.id));
  const changes = await changesOf(client, task);
  if (json)
    return printJson(io, {
      ...runDocument(task, usage, changes),
      interactions,
      ...(waitsForKey === null ? {} : { provider: { ...waitsForKey, next: KEY_STEPS } }),
    });
  io.err(outcomeLines(task, usage, io.errColors, changes).join('\n'));
  if (interactions.length > 0) io.err(waitingLines(interactions, io.errColors).join('\n'));
  // The provider's refusal was shown when it came.
  if (interactions.length > 0 || waitsForKey !== null) return;
  // It listens: its last answer is what there is.
  if (!io.stdoutIsTerminal && shown.trim() !== '') io.out(plainText(shown).trim());
  io.err(`${io.errColors.cyan('next:')} talk to it: bullpen chat --resume ${task.id}`);
}

/** The task has ended whether or not this can be said. */
async function changesOf(client: Client, { id, workspacePath }: TaskView): Promise<Changes> {
  if (workspacePath === null) return null;
  try {
    const { from, diffstat } = await client.checkpoints.diff(id);
    return from === null || diffstat.files === 0 ? null : diffstat;
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnexpectedAnswer) return { problem: error.message };
    throw error;
  }
}
