/** Agents and tools from outside of the repository, and the agents that ship with it. */
export { builtInAgents } from './load-agents.js';
export { loadExtensions, type Extensions, type ExtensionSettings } from './load-extensions.js';
export { problemText, tellProblems, type ExtensionProblem } from './problem.js';
export { extensionsFolder } from './sources.js';
