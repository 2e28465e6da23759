/** Agents and tools from outside of the repository, and the agents that ship with it. */
export { builtInAgents } from './load-agents.js';
export { loadExtensions } from './load-extensions.js';
export { problemText, tellProblems } from './problem.js';
export { extensionsFolder } from './sources.js';
