/** Tools for the processes that run_command started: list, read, wait, kill. */
import { plural, type ProcessView } from '@bullpen/contracts';
import {
  defineTool,
  endText,
  failure,
  type ProcessRecords,
  success,
  type Tool,
  type ToolContext,
} from '@bullpen/core';
import { KeptOutput, maskedPage, screenText, type HeldProcess, type Processes } from '@bullpen/workspace';
import { z } from 'zod';
import { MAX_PAGE_CHARS } from './pages.js';
import { endedOutcome, endLines } from './process-outcome.js';

interface ProcessToolsDeps {
  readonly command: { readonly processes: Processes };
  readonly records: Pick<ProcessRecords, 'list' | 'find'>;
}

/** So many of a task's processes are listed: those that run, and the newest. */
const MOST_LISTED = 30;
const LONGEST_WAIT_MS = 600_000;

const id = z.string().min(1).max(100).describe('Id of the process, as it was given when it started.');

export function listProcessesTool({ records }: ProcessToolsDeps): Tool {
  return defineTool({
    name: 'list_processes',
    description:
      'Lists the newest commands of this task with their state: what runs, and how the rest ended.',
    group: 'read',
    resume: 'repeat',
    input: z.strictObject({}),
    run: async (_, { task }) => {
      const all = await records.list(task.id, MOST_LISTED);
      return success(all.length === 0 ? 'This task has run no commands.' : all.map(lineOf).join('\n'));
    },
  });
}

export function readProcessTool(deps: ProcessToolsDeps): Tool {
  return defineTool({
    name: 'read_process',
    description:
      'Reads the output of a command of this task, also while it runs: the newest part unless an offset is given. ' +
      'The answer says where to read on.',
    group: 'read',
    resume: 'repeat',
    input: z.strictObject({
      id,
      offset: z
        .int()
        .min(-1_000_000_000_000)
        .max(1_000_000_000_000)
        .default(-MAX_PAGE_CHARS)
        .describe('First byte to read; below 0, counted from the end.'),
      limit: z.int().min(1).max(MAX_PAGE_CHARS).default(MAX_PAGE_CHARS).describe('Bytes to read.'),
    }),
    run: async (args, context) => {
      const process = await find(deps, context, args.id);
      if (process === null) return unknown(args.id);
      const output = await KeptOutput.open(deps.command.processes.folderOf(context.task.rootId, args.id));
      if (output === null) return withoutOutput(process);
      const ended = process.state !== 'running';
      const page = await maskedPage(output, args.offset, args.limit, ended, context.masker);
      const where = `bytes ${page.from} to ${page.to} of ${output.size}${page.to < output.size ? `; go on with offset ${page.to}` : ''}`;
      return success(`${lineOf(process)}\n${where}\n${screenText(page.text)}`);
    },
  });
}

export function waitProcessTool(deps: ProcessToolsDeps): Tool {
  return defineTool({
    name: 'wait_process',
    description:
      'Waits until a command in the background has ended and returns how, with its output. ' +
      'If it still runs when the wait is over, the answer says so: wait again, or do something else meanwhile.',
    group: 'read',
    resume: 'repeat',
    polls: true,
    input: z.strictObject({
      id,
      waitMs: z
        .int()
        .min(0)
        .max(LONGEST_WAIT_MS)
        .default(120_000)
        .describe('Longest wait in milliseconds: 2 minutes unless set, at most 10.'),
    }),
    run: async (args, context, signal) => {
      const held = deps.command.processes.find(context.task.id, args.id);
      if (held === null) return ended(deps, context, args.id);
      const report = await held.wait(args.waitMs, signal);
      if (report !== null) return endedOutcome(held.options.folder, report);
      return success(`${args.id} still runs; it has put out ${plural(held.outputBytes, 'byte')} so far`);
    },
  });
}

export function killProcessTool(deps: ProcessToolsDeps): Tool {
  return defineTool({
    name: 'kill_process',
    description: 'Ends a command of this task that runs in the background, with everything that it started.',
    group: 'execute',
    resume: 'repeat',
    input: z.strictObject({ id }),
    inspect: async () => ({ command: null }),
    run: async (args, context) => {
      const held = deps.command.processes.find(context.task.id, args.id);
      if (held === null) return ended(deps, context, args.id);
      return success(`${args.id}: ${endLines(await held.kill('stopped by kill_process')).join('\n')}`);
    },
  });
}

/** What there is to say of a process that does not run here any more. */
async function ended(deps: ProcessToolsDeps, context: ToolContext, processId: string) {
  const process = await find(deps, context, processId);
  return process === null ? unknown(processId) : success(`It has ended before: ${lineOf(process)}`);
}

/** Rows of processes that run here lag behind; what is read of them has to be on the disk. */
async function find(
  { command: { processes }, records }: ProcessToolsDeps,
  { task }: ToolContext,
  processId: string,
): Promise<ProcessView | null> {
  const held: HeldProcess | null = processes.find(task.id, processId);
  await held?.flushed();
  return records.find(task.id, processId);
}

function unknown(processId: string) {
  return failure(`This task has no process ${processId}; list_processes shows what there is.`);
}

function withoutOutput(process: ProcessView) {
  return process.outputBytes === 0
    ? success(`${lineOf(process)}\n(no output)`)
    : failure(
        `${lineOf(process)}\nIts output is on the machine that it ran on, ${process.host}, and cannot be read here.`,
      );
}

function lineOf(process: ProcessView): string {
  const { state, command, background, outputBytes } = process;
  const where = background ? ' in the background' : '';
  const how =
    state === 'running' ? `runs${where} since ${process.startedAt}` : endText({ ...process, state });
  return `${process.id}: ${how}; ${plural(outputBytes, 'byte')} of output; ${JSON.stringify(command.slice(0, 200).toWellFormed())}`;
}
