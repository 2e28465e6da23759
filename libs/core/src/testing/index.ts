/** Doubles of the core's ports that pass the ports' contract suites. For tests only. */
export { approvesAnyCommand } from './any-command.js';
export type { MemoryTask } from './memory-task.js';
export * from './memory-process-records.js';
export { MemoryTaskStore } from './memory-task-store.js';
export { NO_SETUP } from './no-setup.js';
export { modelContract } from './model.contract.js';
export * from './interaction-store.contract.js';
export * from './pack-store.contract.js';
export * from './task-store.contract.js';
export * from './tool.contract.js';
