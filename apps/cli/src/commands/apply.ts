/** `bullpen apply`: brings what a task changed into a folder that may have moved on. Nothing here is written over without being told. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  commitBranch,
  conflictsOf,
  GitFailed,
  mergeInto,
  previewMerge,
  ShadowRepository,
  takePack,
  UnrelatedFolder,
  versionsOf,
  type Incoming,
  type Outcome,
} from '@bullpen/checkpoints';
import { folderOf, type TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { terminalPrompts } from '../people/prompts.js';
import { outcomeLines } from '../render/merge-outcomes.js';

interface Flags {
  readonly to?: string;
  readonly branch?: string;
  readonly yes?: true;
}

/** Adds `apply`. */
export function registerApply(program: Command, context: Context): void {
  const command = program
    .command('apply')
    .addArgument(new IdArgument('<task>', ['task'], 'id of the task'))
    .option('--to <dir>', 'the folder to bring it to, instead of the one that the task began with')
    .option('--branch <name>', 'commit it on a new branch instead; files, index and HEAD stay as they are')
    .option('-y, --yes', 'do not ask')
    .action((id: string, _, self: Command) => apply(context, id, optionsOf<Flags>(self)));
  withExamples(command, [
    ['bullpen apply task_…', 'shows what would change, and asks'],
    ['bullpen apply task_… --to ~/src/shop --yes', 'into another folder, without a question'],
    ['bullpen apply task_… --branch fix-cart', 'as a commit on a branch of its own'],
  ]);
}

async function apply(context: Context, id: string, options: Options<Flags>): Promise<void> {
  const { client } = connect(context, options);
  const folder = folderFor(await client.tasks.get(id), options);
  const { from, diffstat } = await client.checkpoints.diff(id);
  if (from === null || diffstat.files === 0)
    return context.io.err(context.io.errColors.dim('This task has changed no files.'));
  const signal = new AbortController().signal;
  const { base, newest, pack } = await client.checkpoints.changes(id);
  const store = await mkdtemp(join(tmpdir(), 'bullpen-apply-'));
  try {
    await ShadowRepository.alone({ folder: store }, signal, async (shadow) => {
      await takePack(shadow, pack, [base, newest], signal);
      const incoming = { base, theirs: newest };
      if (options.branch !== undefined)
        await branch(context, shadow, { ...incoming, folder, name: options.branch, id });
      else await merge(context, shadow, incoming, folder, options.yes === true);
    });
  } catch (error) {
    throw told(error);
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

/** What is given, or what the task was given; a fork had that of the task before it. */
function folderFor({ workspace }: TaskView, { to }: Flags): string {
  if (to !== undefined) return resolve(to);
  if (workspace.kind === 'path' && !workspace.copy)
    throw new CliError(
      EXIT.usage,
      `The task works in ${workspace.path} itself: what it changed is there already.`,
    );
  const folder = folderOf(workspace);
  if (folder !== null) return folder;
  throw new CliError(
    EXIT.usage,
    'The task did not begin with a folder of yours: say where to with --to DIR.',
  );
}

async function merge(
  context: Context,
  shadow: ShadowRepository,
  incoming: Incoming,
  root: string,
  isSure: boolean,
): Promise<void> {
  const { io } = context;
  const signal = new AbortController().signal;
  const preview = await previewMerge(shadow, incoming, root, signal);
  const isThere = preview.every(({ kind }) => kind === 'there');
  io.err(`${root}:`);
  io.out(outcomeLines(preview, await versionsIn(shadow, preview), io.outColors));
  if (isThere) return io.err(io.errColors.dim('All of it is there already.'));
  if (preview.every(({ kind }) => kind === 'there' || kind === 'conflict')) throw conflicted(preview);
  if (!isSure && !(await agrees(context))) return io.err(io.errColors.dim('Nothing was changed.'));
  const done = await mergeInto(shadow, incoming, { root, owner: null }, signal);
  const failed = conflictsOf(done);
  const taken = done.filter(({ kind }) => kind === 'taken' || kind === 'merged').length;
  io.err(`${taken} brought to ${root}.`);
  if (failed.length > 0) throw conflicted(done);
}

/** What does not go together, by path, where it can be shown. */
async function versionsIn(
  shadow: ShadowRepository,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const conflict of conflictsOf(outcomes)) {
    const text = await versionsOf(shadow, conflict, { ours: 'yours', theirs: "the task's" });
    if (text !== null) versions.set(conflict.path, text);
  }
  return versions;
}

/** Enter alone says no. */
async function agrees({ io }: Context): Promise<boolean> {
  if (io.terminal === null)
    throw new CliError(EXIT.usage, 'Nobody can be asked here: say --yes to change the folder.');
  const choices = [
    { value: 'no', label: 'No, leave the folder as it is' },
    { value: 'yes', label: 'Yes, change these files' },
  ] as const;
  const prompt = { message: 'Bring these changes to the folder?', choices, words: null };
  const given = await terminalPrompts(io, io.terminal).choose(prompt, new AbortController().signal);
  return given?.choice === 'yes';
}

async function branch(
  { io }: Context,
  shadow: ShadowRepository,
  request: Incoming & { readonly folder: string; readonly name: string; readonly id: string },
): Promise<void> {
  const { id, ...rest } = request;
  const author = { name: 'Bullpen', email: 'bullpen@localhost' };
  const message = `What ${id} changed\n`;
  const result = await commitBranch(shadow, { ...rest, message, author }, new AbortController().signal);
  if (result.kind === 'refused')
    throw new CliError(EXIT.conflict, REFUSALS[result.why](rest.name, rest.folder));
  io.out(outcomeLines(result.outcomes, await versionsIn(shadow, result.outcomes), io.outColors));
  if (result.kind === 'conflicts') throw conflicted(result.outcomes);
  io.err(`Committed as ${result.commit.slice(0, 12)} on ${rest.name}; your files are as they were.`);
}

const REFUSALS = {
  branch_exists: (name: string) => `There is a branch ${name} already: give another name.`,
  bad_name: (name: string) => `${name} cannot be the name of a branch: give another one.`,
  no_repository: (_: string, folder: string) => `${folder} is not in a git repository: leave --branch out.`,
  other_format: (_: string, folder: string) =>
    `The repository of ${folder} names its objects in another way than checkpoints do: leave --branch out.`,
} as const;

function conflicted(outcomes: readonly Outcome[]): CliError {
  const count = conflictsOf(outcomes).length;
  const files = count === 1 ? 'One file was' : `${count} files were`;
  return new CliError(
    EXIT.conflict,
    `${files} changed here as well, in a way that does not go together: it was left as it is. See the lines of the task with bullpen tasks diff --patch.`,
  );
}

function told(error: unknown): unknown {
  if (error instanceof UnrelatedFolder)
    return new CliError(EXIT.conflict, `${error.message} Give it with --to DIR.`);
  if (error instanceof GitFailed && error.isMissing)
    return new CliError(EXIT.error, 'There is no git program here, which this needs: install git.');
  return error;
}
