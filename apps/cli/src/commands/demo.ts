/** `bullpen demo`: one task with many subtasks on a copy of a folder, from nothing to a report. */
import { TreeModel } from '@bullpen/client';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import {
  connectTo,
  optionsOf,
  PATIENT_RETRIES,
  printJson,
  type Connection,
  type Context,
  type Options,
} from '../context.js';
import { CliError, Interrupted } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import type { TreeDisplay } from '../live/tree-display.js';
import { watchTree, type WatchTreeOptions } from '../live/watch-tree.js';
import { demoDocument, type DemoResult } from '../render/demo-result.js';
import { demoSummary } from '../render/demo-summary.js';
import { oneLine } from '../render/plain-text.js';
import { obtainStack, type BorrowedStack } from '../stack/obtain.js';
import { lostWorker } from './lost-worker.js';

const APPROVALS = { alwaysAllowWrite: true, alwaysAllowSubtasks: true, alwaysAllowUpdateTodoList: true };

export function registerDemo(program: Command, context: Context): void {
  const command = program
    .command('demo')
    .argument('[dir]', "folder to survey; default: Bullpen's own repository")
    .option(
      '--lose-worker',
      'kill a worker once the report is written, and delete its folder: another one goes on',
    )
    .action((dir: string | undefined, own: DemoOptions, self: Command) =>
      demo(context, dir, { ...optionsOf(self), ...own }),
    );
  withExamples(command, [
    ['bullpen demo', 'survey this repository'],
    ['bullpen demo ~/src/project', 'survey another folder; the original is not touched'],
    ['bullpen demo --lose-worker', 'see what the loss of a machine does to a task'],
    ['bullpen demo --json', 'one JSON document at the end'],
  ]);
}

interface DemoOptions {
  readonly loseWorker?: boolean;
}

async function demo(
  context: Context,
  dir: string | undefined,
  { loseWorker = false, ...options }: Options & DemoOptions,
): Promise<void> {
  const folder = surveyedFolder(dir, context.cwd);
  const interrupt = new AbortController();
  const release = context.onInterrupt(() => interrupt.abort());
  const stack = await obtainStack(context, options, interrupt.signal, { ownFolders: loseWorker });
  try {
    if (loseWorker && !stack.own) throw notOurs(stack.endpoint.url);
    const result = await survey(context, stack, { folder, loseWorker }, interrupt.signal);
    context.setExitCode(result.task.state === 'completed' ? EXIT.ok : EXIT.taskFailed);
    if (options.json) printJson(context.io, demoDocument(result));
    else context.io.out(demoSummary(result, stack.own, context));
  } finally {
    release();
    await stack.giveBack();
  }
}

async function survey(
  context: Context,
  stack: BorrowedStack,
  { folder, loseWorker }: { readonly folder: string; readonly loseWorker: boolean },
  signal: AbortSignal,
): Promise<DemoResult> {
  const connection = connectTo(stack.endpoint, PATIENT_RETRIES);
  const { client } = connection;
  const task = await client.tasks.create({
    agent: 'survey-lead',
    title: `Survey of ${folder}`.slice(0, 200),
    prompt: 'Survey this workspace and write the report REPORT.md.',
    workspace: { kind: 'path', path: folder, copy: true },
    approvals: APPROVALS,
  });
  const startedAt = performance.now();
  const model = new TreeModel(task.id);
  const attend = loseWorker
    ? (display: TreeDisplay) => lostWorker({ client, stack, rootId: task.id }, display)
    : undefined;
  const ended = await watchDemo(context, connection, { task, model, attend }, signal);
  const durationMs = Math.round(performance.now() - startedAt);
  const [tree, usage, system] = await Promise.all([
    client.tasks.tree(task.id),
    client.tasks.usage(task.id),
    client.system.info(),
  ]);
  return { task: ended, tree, usage, system, durationMs, losses: model.totals().losses };
}

async function watchDemo(
  { io }: Context,
  connection: Connection,
  { task, model, attend }: { task: TaskView } & Pick<WatchTreeOptions, 'model' | 'attend'>,
  signal: AbortSignal,
): Promise<TaskView> {
  io.err(io.errColors.dim(`${task.id}: ${oneLine(task.title)}`));
  try {
    return await watchTree({ io, connection, rootId: task.id, signal, model, attend });
  } catch (error) {
    throw signal.aborted ? leftRunning(task.id) : error;
  }
}

function notOurs(url: string): CliError {
  return new CliError(
    EXIT.usage,
    `Bullpen runs at ${url}, and its workers are in use: stop it first, or leave out --lose-worker`,
  );
}

function surveyedFolder(dir: string | undefined, cwd: string): string {
  const folder =
    dir === undefined ? fileURLToPath(new URL('../../../../', import.meta.url)) : resolve(cwd, dir);
  if (!existsSync(folder)) throw new CliError(EXIT.usage, `There is no folder ${folder}`);
  if (!statSync(folder).isDirectory()) throw new CliError(EXIT.usage, `${folder} is not a folder`);
  return resolve(folder);
}

function leftRunning(taskId: string): Interrupted {
  return new Interrupted('Interrupted: the task is kept and goes on when Bullpen runs.', [
    `watch it again: bullpen tasks watch ${taskId}`,
    `or end it: bullpen cancel ${taskId}`,
  ]);
}
