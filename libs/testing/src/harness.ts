/** Processes, servers and waiting without Jest: for programs that judge the product from outside. */
export {
  aDefinition,
  aTask,
  aMessage,
  aToolCall,
  aModelCall,
  aUsage,
  aStep,
  aNewChild,
  aModelRequest,
} from './builders.js';
export { fillLongLife } from './long-life/long-life.js';
export { looksOf } from './looks.js';
export * from './pgbouncer.js';
export { type ProcessEnd, type TestProcess, startProcess, assertNoProcessLeft } from './processes.js';
export * from './redis.js';
export * from './tracked-pids.js';
export * from './tree-listing.js';
export { waitFor } from './wait-for.js';
