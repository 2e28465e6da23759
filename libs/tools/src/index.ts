/** Built-in tools: each is a `Tool` of the core. */
export { createTools, TOOL_NAMES, type ToolsDeps } from './create-tools.js';
export { editFileTool } from './edit-file.js';
export { FileTracker, type SeenFile } from './file-tracker.js';
export { schemaIssues, validateJson } from './json-schema.js';
export { listFilesTool } from './list-files.js';
export { readFileTool } from './read-file.js';
export { readToolOutputTool } from './read-tool-output.js';
export { runCommandTool, type CommandSettings } from './run-command.js';
export { searchFilesTool } from './search-files.js';
export { writeFileTool } from './write-file.js';
