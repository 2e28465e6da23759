/** The built-in tools that work on files and run commands. */
import type { ProcessRecords, Tool } from '@bullpen/core';
import { editFileTool } from './edit-file.js';
import { FileTracker } from './file-tracker.js';
import { listFilesTool } from './list-files.js';
import { processTools } from './process-tools.js';
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

/** Names of the tools that `createTools` gives. */
export const TOOL_NAMES = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'edit_file',
  'run_command',
  'read_tool_output',
  'list_processes',
  'read_process',
  'wait_process',
  'kill_process',
] as const;

/** One set for a worker: the tools hold no state of a task but the tracker's. The order is the order on offer, and never changes. */
export function createTools(deps: ToolsDeps): readonly Tool[] {
  const tracker = deps.tracker ?? new FileTracker();
  return [
    readFileTool({ tracker }),
    listFilesTool(),
    searchFilesTool(),
    writeFileTool({ tracker }),
    editFileTool({ tracker }),
    runCommandTool(deps.command),
    readToolOutputTool(),
    ...processTools({ processes: deps.command.processes, records: deps.records }),
  ];
}
