/** Test doubles, builders, databases and processes, for specs only. */
export * from './doubles.js';
export * from './fake-postgres.js';
export * from './every-action.js';
export * from './harness.js';
export * from './postgres.js';
export * from './queue-backends.js';
export { type ScriptedAnswer, type ScriptedStep, ScriptedModel, modelError } from './scripted-model.js';
export * from './secret-traces.js';
export * from './story.js';
