/** The memory store without the contract suites: for harnesses that run outside of Jest. */
export type { MemoryTask } from './memory-task.js';
export { MemoryTaskStore } from './memory-task-store.js';
export { NO_SETUP } from './no-setup.js';
export { approvesAnyCommand } from './any-command.js';
