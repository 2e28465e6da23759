/** `bullpen processes …`: what agents run, what it puts out, and how to end it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { plainText } from '../render/plain-text.js';
import { processDetails, processTable } from '../render/process-views.js';
import { parsePositive } from './task-input.js';

interface ListFlags {
  readonly limit: number;
}

interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: number;
}

const LARGEST_PAGE = 200;
/** How often a running process is looked at. */
const LOOK_MS = 500;
/** Longer than the grace of a process that is to end. */
const KILL_MS = 15_000;

export function registerProcesses(program: Command, context: Context): void {
  const processes = program.command('processes');
  withExamples(processes, [
    ['bullpen processes list task_…', 'what a task has run, and what still runs'],
    ['bullpen processes logs proc_… --follow', 'its output, live'],
    ['bullpen processes kill proc_…', 'end it with everything that it started'],
  ]);
  registerLooking(processes, context);
  registerChanging(processes, context);
}

function registerLooking(processes: Command, context: Context): void {
  const list = processes
    .command('list')
    .alias('ls')
    .description('processes of a task, newest first')
    .addArgument(new IdArgument('<task>', ['task'], 'id of the task'))
    .option('-n, --limit <n>', `at most this many, up to ${LARGEST_PAGE}`, parsePositive, 20)
    .action((id: string, _, self: Command) => showList(context, id, self));
  withExamples(list, [['bullpen processes list task_…', 'what a task has run, and what still runs']]);
  const show = processes
    .command('show')
    .description('one process: how it stands, or how it ended and why')
    .addArgument(new IdArgument('<id>', ['proc'], 'id of the process'))
    .action((id: string, _, self: Command) => showOne(context, id, self));
  withExamples(show, [['bullpen processes show proc_…', 'why did it end?']]);
  const logs = processes
    .command('logs')
    .description('what a process has put out, as text')
    .addArgument(new IdArgument('<id>', ['proc'], 'id of the process'))
    .option('-f, --follow', 'go on until it ends')
    .option('--tail <bytes>', 'only the last so many bytes', parsePositive)
    .action((id: string, _, self: Command) => showOutput(context, id, self));
  withExamples(logs, [
    ['bullpen processes logs proc_… --follow', 'live'],
    ['bullpen processes logs proc_… --tail 4000', 'only the end of it'],
  ]);
}

function registerChanging(processes: Command, context: Context): void {
  const kill = processes
    .command('kill')
    .description('end a process with everything that it started; its agent is told')
    .addArgument(new IdArgument('<id>', ['proc'], 'id of the process'))
    .action((id: string, _, self: Command) => endProcess(context, id, self));
  withExamples(kill, [['bullpen processes kill proc_…', 'waits until it has ended']]);
  const background = processes
    .command('background')
    .description('let a process go on while its agent does something else')
    .addArgument(new IdArgument('<id>', ['proc'], 'id of the process'))
    .action((id: string, _, self: Command) => moveProcess(context, id, self));
  withExamples(background, [['bullpen processes background proc_…', 'the agent stops waiting for it']]);
}

async function showList(context: Context, taskId: string, self: Command): Promise<void> {
  const options = optionsOf<ListFlags>(self);
  const { io } = context;
  const limit = Math.min(options.limit, LARGEST_PAGE);
  const page = await connect(context, options).client.processes.list(taskId, { limit });
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) return io.err(io.errColors.dim('This task has run no commands.'));
  io.out(processTable(page.data, { width: io.tableColumns(), now: io.now(), colors: io.outColors }));
  if (page.hasMore) io.err(io.errColors.dim(`There are more: --limit ${LARGEST_PAGE}`));
}

async function showOne(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  print(context, await connect(context, options).client.processes.get(id), options.json === true);
}

async function showOutput(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<LogFlags>(self);
  const { io } = context;
  const { client } = connect(context, options);
  for (let from = options.tail === undefined ? 0 : -options.tail; ;) {
    const range = await client.processes.output(id, { from });
    const gap = range.leftOut.find((piece) => piece.to === range.from);
    if (gap) io.err(io.errColors.dim(`… ${gap.to - gap.from} bytes were not kept …`));
    if (options.json) printJson(io, range);
    else if (range.data !== '') io.outPiece(asLines(range.data));
    if (range.to < range.size && range.to > from) from = range.to;
    else if (options.follow !== true || range.state !== 'running') return;
    else {
      from = range.to;
      await sleep(LOOK_MS);
    }
  }
}

/** Each state of a progress bar is a line of its own here: nothing moves the cursor. */
function asLines(output: string): string {
  return plainText(output.replaceAll(/\r+\n?/g, '\n'));
}

async function endProcess(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  await client.processes.kill(id);
  const process = await untilEnded(client, id);
  if (process.state === 'running')
    context.io.err('It still runs; its worker ends it as soon as it hears of this.');
  print(context, process, options.json === true);
}

async function moveProcess(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  print(context, await connect(context, options).client.processes.toBackground(id), options.json === true);
}

async function untilEnded(client: Client, id: string): Promise<ProcessView> {
  for (const deadline = performance.now() + KILL_MS; ; await sleep(LOOK_MS / 2)) {
    const process = await client.processes.get(id);
    if (process.state !== 'running' || performance.now() > deadline) return process;
  }
}

function print({ io }: Context, process: ProcessView, json: boolean): void {
  if (json) printJson(io, process);
  else io.out(processDetails(process));
}
