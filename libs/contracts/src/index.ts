/** Schemas and types of everything that crosses a border. Browser-safe; zod only. */
export * from './agent.js';
export * from './api.js';
export * from './error.js';
export * from './event.js';
export * from './ids.js';
export * from './job.js';
export * from './json.js';
export * from './message.js';
export * from './money.js';
export * from './policy.js';
export * from './policy-api.js';
export * from './retry.js';
export * from './system.js';
export * from './task.js';
export * from './tenant.js';
export * from './tool-call.js';
export * from './usage.js';
