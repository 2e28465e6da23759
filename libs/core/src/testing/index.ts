/** Doubles of the core's ports that pass the ports' contract suites. For tests only. */
export * from './memory-task-store.js';
export * from './task-store.contract.js';
