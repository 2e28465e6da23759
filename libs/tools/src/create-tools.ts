/** The built-in tools that work on files and run commands. */
import { CODE_TOOL_NAMES, HARNESS_TOOL_NAMES, type ProcessRecords, type Tool } from '@bullpen/core';
import { editFileTool } from './edit-file.js';
import { FileTracker } from './file-tracker.js';
import { listFilesTool } from './list-files.js';
import { killProcessTool, listProcessesTool, readProcessTool, waitProcessTool } from './process-tools.js';
import { readFileTool } from './read-file.js';
import { readToolOutputTool } from './read-tool-output.js';
import { runCommandTool, type CommandSettings } from './run-command.js';
import { searchFilesTool } from './search-files.js';
import { writeFileTool } from './write-file.js';

export interface ToolsDeps {
  /** How commands run. */
  readonly command: CommandSettings;
  /** What is known of commands that have ended. */
  readonly records: Pick<ProcessRecords, 'list' | 'find'>;
  /** Shared by all tasks of a worker. @defaultValue a new one */
  readonly tracker?: FileTracker;
}

/** By name, in the order in which they are offered, which never changes. */
const BUILT_IN = {
  read_file: readFileTool,
  list_files: listFilesTool,
  search_files: searchFilesTool,
  write_file: writeFileTool,
  edit_file: editFileTool,
  run_command: runCommandTool,
  read_tool_output: readToolOutputTool,
  list_processes: listProcessesTool,
  read_process: readProcessTool,
  wait_process: waitProcessTool,
  kill_process: killProcessTool,
} satisfies Record<string, (deps: Required<ToolsDeps>) => Tool>;

/** Names of the tools that `createTools` gives. */
export const TOOL_NAMES: readonly string[] = Object.keys(BUILT_IN);

/** Names of all tools that ship, whichever package has them: what an agent may list before anything is added. */
export const BUILT_IN_TOOLS: readonly string[] = [...TOOL_NAMES, ...CODE_TOOL_NAMES, ...HARNESS_TOOL_NAMES];

/** One set for a worker: the tools hold no state of a task but the tracker's. */
export function createTools({ tracker = new FileTracker(), ...deps }: ToolsDeps): readonly Tool[] {
  return Object.values(BUILT_IN).map((make) => make({ ...deps, tracker }));
}
