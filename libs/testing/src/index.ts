export { aContext } from './builders.js';
export { STARTING_UP, ENDED_AT_ONCE, fakePostgres } from './fake-postgres.js';
export * from './every-action.js';
export {
  type ProcessEnd,
  type TestProcess,
  startProcess,
  assertNoProcessLeft,
  aDefinition,
  aTask,
  aMessage,
  aToolCall,
  aModelCall,
  aUsage,
  aStep,
  aNewChild,
  aModelRequest,
  type TestPgBouncer,
  type PgBouncerOptions,
  pgBouncerAvailable,
  testPgBouncer,
  type TestRedis,
  type TestRedisOptions,
  redisAvailable,
  testRedis,
  trackPid,
  untrackPid,
  treeListing,
  waitFor,
} from './harness.js';
export { makeDue, makeLargeHistory, MANY } from './large-history.js';
export { untilEventsShow } from './older-transactions.js';
export { pngHead } from './png-head.js';
export * from './postgres.js';
export * from './queue-backends.js';
export { type ScriptedAnswer, type ScriptedStep, ScriptedModel, modelError } from './scripted-model.js';
export { explainAll, hearPlans, hearAllPlans, type Ran } from './rows-read.js';
export * from './secret-traces.js';
export * from './story.js';
