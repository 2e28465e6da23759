/** Agents, tools and work modes from outside of the repository, and those that ship with it. */
export { builtInAgents } from './load-agents.js';
export { builtInModes } from './load-modes.js';
export { checkAgents, type CheckedAgents } from './check-agents.js';
export { loadExtensions } from './load-extensions.js';
export { problemText, tellProblems, type ExtensionProblem } from './problem.js';
export { extensionsFolder } from './sources.js';
export { workspaceAgents, type WorkspaceAgents } from './workspace-agents.js';
