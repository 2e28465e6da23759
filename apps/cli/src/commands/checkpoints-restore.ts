/** `bullpen checkpoints restore`: shows what going back to a checkpoint would change, asks, and does it. */
import type { RestoreScope, RestoreView } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, optionsOf, printJson, type Client, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { terminalPrompts } from '../people/prompts.js';
import { plainText } from '../render/plain-text.js';
import { changesNothing, restoreText } from '../render/restore-text.js';

interface Flags {
  readonly files?: true;
  readonly history?: true;
  readonly both?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** A worker that is busy with another restore comes to this one after that. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 500;

/** Adds `checkpoints restore`. */
export function registerCheckpointsRestore(checkpoints: Command, context: Context): void {
  const scope = (name: string, text: string, others: string[]): Option =>
    new Option(`--${name}`, text).conflicts(others);
  const command = checkpoints
    .command('restore')
    .description('bring back the files of a task, its conversation, or both')
    .addArgument(new IdArgument('<id>', ['ckpt'], 'id of the checkpoint'))
    .addOption(scope('files', 'the files (default)', ['history', 'both']))
    .addOption(scope('history', 'the conversation; files stay as they are', ['files', 'both']))
    .addOption(scope('both', 'the files and the conversation', ['files', 'history']))
    .option('--dry-run', 'only show what would be changed')
    .option('-y, --yes', 'do not ask')
    .action((id: string, _, self: Command) => restore(context, id, optionsOf<Flags>(self)));
  withExamples(command, [
    ['bullpen checkpoints restore ckpt_… --dry-run', 'what would be changed'],
    ['bullpen checkpoints restore ckpt_…', 'the files, after a look and a question'],
    ['bullpen checkpoints restore ckpt_… --both --yes', 'files and conversation, without a question'],
  ]);
}

async function restore(context: Context, checkpointId: string, options: Options<Flags>): Promise<void> {
  const { io } = context;
  const { client } = connect(context, options);
  const { taskId } = await client.checkpoints.get(checkpointId);
  const request = { checkpointId, what: scopeOf(options) };
  const look = await ended(client, await client.checkpoints.restore(taskId, request));
  if (options.json && (options.dryRun || !options.yes)) return printJson(io, look);
  if (!options.json) io.out(restoreText(look, io.outColors));
  if (options.dryRun) return;
  if (changesNothing(look)) return io.err(io.errColors.dim('There is nothing to restore.'));
  if (!options.yes && !(await agrees(context))) return io.err(io.errColors.dim('Nothing was changed.'));
  const done = await ended(client, await client.checkpoints.restore(taskId, { ...request, dryRun: false }));
  if (options.json) return printJson(io, done);
  io.err(`${taskId} is back at ${checkpointId}.`);
  if (done.before !== null && done.files !== null)
    io.err(io.errColors.dim(`Undo it: bullpen checkpoints restore ${done.before}`));
}

function scopeOf({ history, both }: Flags): RestoreScope {
  if (both) return 'both';
  return history ? 'history' : 'files';
}

/** Waits for the worker that does it. */
async function ended(client: Client, asked: RestoreView): Promise<RestoreView> {
  const until = performance.now() + PATIENCE_MS;
  let restore = asked;
  while (restore.state === 'pending' && performance.now() < until) {
    await sleep(LOOK_MS);
    restore = await client.checkpoints.restored(restore.id);
  }
  if (restore.state === 'failed')
    throw new CliError(EXIT.conflict, plainText(restore.failure ?? 'It failed.'));
  if (restore.state === 'done') return restore;
  throw new CliError(
    EXIT.error,
    restore.dryRun
      ? 'No worker looks at the files: is one running? bullpen doctor says.'
      : `No worker has done it so far; ${restore.id} is done when one comes. bullpen doctor says which run.`,
  );
}

/** Enter alone says no. */
async function agrees({ io }: Context): Promise<boolean> {
  if (io.terminal === null)
    throw new CliError(EXIT.usage, 'Nobody can be asked here: say --yes to restore it.');
  const choices = [
    { value: 'no', label: 'No, leave everything as it is' },
    { value: 'yes', label: 'Yes, restore it' },
  ] as const;
  const prompt = { message: 'Go back to this checkpoint?', choices, words: null };
  const given = await terminalPrompts(io, io.terminal).choose(prompt, new AbortController().signal);
  return given?.choice === 'yes';
}
