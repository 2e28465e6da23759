/** run_command: one shell command line in the workspace, waited for or in the background. */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import {
  type CallFacts,
  defineTool,
  failure,
  success,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@bullpen/core';
import {
  BACKGROUND_LIMIT_MS,
  prepareHome,
  resolveForReading,
  type CommandUser,
  type HeldProcess,
  type Processes,
} from '@bullpen/workspace';
import { withNearNames } from './near-names.js';
import { endedOutcome } from './process-outcome.js';
import { touchedPaths } from './touched-paths.js';

/** How commands run in this installation. */
export interface CommandSettings {
  readonly processes: Processes;
  /** PATH of the commands. */
  readonly path: string;
  /** Needed when the worker is root: commands never run as root. */
  readonly user: CommandUser | null;
  /** Folder for the private homes of commands, one for each workspace; outside of the workspaces, made on first use. */
  readonly homesRoot: string;
}

/** A call may wait so long; what takes longer belongs in the background. */
const LONGEST_CALL_MS = 600_000;
const DEFAULT_LIMIT_MS = 120_000;

const input = z.strictObject({
  // Linux takes 131,072 bytes in one argument; a character has up to four.
  command: z.string().min(1).max(32_000).describe('Command line for bash.'),
  timeoutMs: z
    .int()
    .min(1_000)
    .max(24 * 3_600_000)
    .optional()
    .describe(
      'Time limit in milliseconds: 2 minutes unless set, at most 10. In the background: 1 hour unless set, at most 24.',
    ),
  cwd: z.string().default('.').describe('Folder to run in, relative to the workspace folder.'),
  background: z
    .boolean()
    .default(false)
    .describe('Return at once and let the command run on, for servers, watchers and long builds.'),
  waitMs: z
    .int()
    .min(0)
    .max(LONGEST_CALL_MS)
    .optional()
    .describe(
      'Wait so long for the end of the command; if it takes longer, let it run on in the background.',
    ),
});
type Input = z.output<typeof input>;

/** The tool, for agents and for the setup of workspaces. */
export function runCommandTool({ command: settings }: { readonly command: CommandSettings }): Tool {
  return defineTool({
    name: 'run_command',
    description:
      'Runs a bash command line in the workspace and returns its exit code and output (standard output and standard error together). ' +
      'Each call is a new shell: a change of folder or variables does not last. It gets no input and no terminal, so give flags that keep programs from asking. ' +
      'Of long output the beginning and the end are shown. A code other than 0 may be an answer: a search that finds nothing exits with 1. ' +
      'Use the tools for files, where you have them, to read, search and edit. To try a server, start it, ask it and stop it in one command, or run it in the background. At the time limit it is ended with everything that it started. ' +
      'With background it returns the id of a process at once, under which its output can be read, and it can be waited for and ended. ' +
      'You are told when such a process ends; at the latest it is ended with the task.',
    group: 'execute',
    resume: 'report',
    sandbox: settings.processes.sandbox,
    input,
    inspect,
    run: async (args, context, signal) => {
      const folder = await resolveForReading(context.workspacePath, args.cwd);
      if (!folder.ok) return failure(`cwd: ${await withNearNames(context.workspacePath, args.cwd, folder)}`);
      if (!(await stat(folder.place.absolute)).isDirectory())
        return failure('cwd: this is a file; give a folder to run in.');
      const limitMs = limitOf(args);
      if (limitMs === null)
        return failure(
          'timeoutMs: at most 600000 for a command that is waited for; set background or waitMs.',
        );
      const process = await start(args, limitMs, folder.place.absolute, settings, context, signal);
      return args.background ? success(startedText(process)) : follow(args, process, signal);
    },
  });
}

async function inspect(args: Input, { workspacePath }: ToolContext): Promise<CallFacts> {
  const paths = await touchedPaths(workspacePath, args.cwd, 'read');
  const cwd = paths[0]?.path ?? '.';
  return { command: args.command, cwd, paths };
}

/** Null: longer than a call may wait. */
function limitOf({ timeoutMs, background, waitMs }: Input): number | null {
  if (background || waitMs !== undefined) return timeoutMs ?? BACKGROUND_LIMIT_MS;
  return (timeoutMs ?? 0) > LONGEST_CALL_MS ? null : (timeoutMs ?? DEFAULT_LIMIT_MS);
}

async function start(
  { command, background }: Input,
  timeoutMs: number,
  cwd: string,
  { processes, homesRoot, path, user }: CommandSettings,
  { workspacePath, policy, onOutput, task, callId, epoch }: ToolContext,
  signal: AbortSignal,
): Promise<HeldProcess> {
  const home = await prepareHome(homesRoot, workspacePath, user);
  const { files, network } = policy;
  return processes.start(
    { taskId: task.id, rootId: task.rootId, callId, epoch },
    { command, background, timeoutMs, cwd, home, workspacePath, path, user, files, network, onOutput },
    signal,
  );
}

async function follow({ waitMs }: Input, process: HeldProcess, signal: AbortSignal): Promise<ToolOutcome> {
  const followed = await process.follow(waitMs ?? null, signal);
  if (followed.kind === 'ended') return endedOutcome(process.options.folder, followed.report);
  const why = followed.by === null ? 'it takes longer than waitMs' : `moved there by ${followed.by}`;
  return success(`${startedText(process)} (${why})`);
}

function startedText({ options: { id } }: HeldProcess): string {
  return `${id} runs in the background`;
}
