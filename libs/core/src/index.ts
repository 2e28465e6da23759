/** The domain, pure: the agent loop, its states and decisions, and the ports that the adapters implement. */
export * from './model.js';
export * from './store.js';
export * from './task.js';
export * from './task-state.js';
export * from './tool.js';
