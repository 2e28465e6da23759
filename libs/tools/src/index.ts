/** Built-in tools: each is a `Tool` of the core. */
export { createTools, TOOL_NAMES, type ToolsDeps } from './create-tools.js';
export { FileTracker } from './file-tracker.js';
export { runCommandTool } from './run-command.js';
export { schemaIssues, validateJson } from './json-schema.js';
