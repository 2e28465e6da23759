/** run_command: one shell command line in the workspace. */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { CallFacts, Tool, ToolContext, ToolOutcome } from '@bullpen/core';
import {
  prepareHome,
  resolveForReading,
  runCommand,
  type CommandResult,
  type CommandUser,
  type Sandbox,
} from '@bullpen/workspace';
import { defineTool, failure } from './define-tool.js';
import { withNearNames } from './near-names.js';
import { touchedPaths } from './touched-paths.js';

/** How commands run in this installation. */
export interface CommandSettings {
  readonly sandbox: Sandbox;
  /** PATH of the commands. */
  readonly path: string;
  /** Needed when the worker is root: commands never run as root. */
  readonly user: CommandUser | null;
  /** Folder for the private homes of commands, one for each workspace; outside of the workspaces, made on first use. */
  readonly homesRoot: string;
}

const input = z.strictObject({
  // Linux takes 131,072 bytes in one argument; a character has up to four.
  command: z.string().min(1).max(32_000).describe('Command line for bash.'),
  timeoutMs: z.int().min(1_000).max(600_000).default(120_000).describe('Time limit in milliseconds.'),
  cwd: z.string().default('.').describe('Folder to run in, relative to the workspace folder.'),
});

export function runCommandTool(settings: CommandSettings): Tool {
  return defineTool({
    name: 'run_command',
    description:
      'Runs a bash command line in the workspace and returns its exit code and output (standard output and standard error together). ' +
      'It gets no input and no terminal. At the time limit (2 minutes unless set, 10 at most) it is ended with everything that it started; ' +
      'nothing keeps running in the background afterwards.',
    group: 'execute',
    resume: 'report',
    input,
    inspect,
    run: async (args, context, signal) => {
      const folder = await resolveForReading(context.workspacePath, args.cwd);
      if (!folder.ok) return failure(`cwd: ${await withNearNames(context.workspacePath, args.cwd, folder)}`);
      if (!(await stat(folder.place.absolute)).isDirectory())
        return failure('cwd: this is a file; give a folder to run in.');
      return run(args, folder.place.absolute, settings, context, signal);
    },
  });
}

async function inspect(args: z.output<typeof input>, { workspacePath }: ToolContext): Promise<CallFacts> {
  const paths = await touchedPaths(workspacePath, args.cwd, 'read');
  const cwd = paths[0]?.path ?? '.';
  return { command: args.command, cwd, paths };
}

async function run(
  args: z.output<typeof input>,
  cwd: string,
  settings: CommandSettings,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const home = await prepareHome(settings.homesRoot, context.workspacePath, settings.user);
  const { command, timeoutMs } = args;
  const spec = {
    command,
    timeoutMs,
    cwd,
    home,
    workspacePath: context.workspacePath,
    path: settings.path,
    user: settings.user,
    files: context.policy.files,
    network: context.policy.network,
    onOutput: context.onOutput,
  };
  const result = await runCommand(settings.sandbox, spec, signal);
  const output = result.output === '' ? '(no output)' : result.output;
  return {
    kind: 'result',
    output: `${firstLine(result, timeoutMs)}\n${output}`,
    isError: result.exitCode !== 0 || result.timedOut || result.aborted,
  };
}

function firstLine(result: CommandResult, timeoutMs: number): string {
  if (result.aborted) return 'stopped, because the call was cancelled';
  if (result.timedOut)
    return `timed out after ${timeoutMs} ms; set a longer timeoutMs or run something smaller`;
  return result.signal === null ? `exit code ${result.exitCode}` : `killed by ${result.signal}`;
}
