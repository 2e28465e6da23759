/** Read models: contract views, always scoped by tenant. */
export * from './checkpoints.js';
export * from './workspaces.js';
export * from './events.js';
export * from './failures.js';
export * from './ids.js';
export * from './interactions.js';
export { badCursor } from './page-cursor.js';
export * from './processes.js';
export * from './queue.js';
export * from './retries.js';
export * from './system.js';
export * from './task-details.js';
export { newTaskView } from './task-view.js';
export * from './tasks.js';
export * from './tenants.js';
export * from './timeline.js';
export * from './usage.js';
export * from './webhooks.js';
