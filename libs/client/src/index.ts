/** Typed client of the HTTP API: requests, pages, live events. Runs in browsers and in Node. */
export { createClient, type BullpenClient } from './client.js';
export { ApiError, UnexpectedAnswer, Unreachable } from './errors.js';
export type { InteractionsClient } from './interactions.js';
export type { StreamOptions } from './event-stream.js';
export type {
  CallOptions,
  ChangeOptions,
  EventsOptions,
  PageOptions,
  TaskFilter,
  TasksClient,
} from './tasks.js';
export type { TransportOptions } from './transport.js';
export type { Activity, ProviderSays } from './tree/activity.js';
export { LossCount, type Losses } from './tree/loss-count.js';
export { isStored, TreeModel, type StreamItem, type TaskNode } from './tree/tree-model.js';
