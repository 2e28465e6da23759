/** Built-in tools: each is a `Tool` of the core. */
export { BUILT_IN_TOOLS, createTools, type ToolsDeps } from './create-tools.js';
export { FileTracker } from './file-tracker.js';
export { runCommandTool } from './run-command.js';
export { schemaIssues, validateJson } from './json-schema.js';
