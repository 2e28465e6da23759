/** Typed client of the HTTP API: requests, pages, live events, and what is known of a tree from them. Runs in browsers and in Node. */
export { createClient, type BullpenClient } from './client.js';
export { ApiError, UnexpectedAnswer, Unreachable } from './errors.js';
export type { TaskFilter } from './tasks.js';
export type { Activity, ProviderSays } from './tree/activity.js';
export { LossCount, type Losses } from './tree/loss-count.js';
export { isStored, TreeModel, type StreamItem, type TaskNode } from './tree/tree-model.js';
