/**
 * Typed client of the HTTP API: requests, pages, live events, what is known of a tree from them, and how its numbers are written. Runs in
 * browsers and in Node.
 */
export type { BullpenClient } from './bullpen-client.js';
export { createClient } from './client.js';
export { ApiError, UnexpectedAnswer, Unreachable } from './errors.js';
export { firstPartOf } from './first-part.js';
export { age, ago, bytes, count, duration, promptTokens, soon, tokens, usd } from './format.js';
export { secondPartOf } from './second-part.js';
export type { TaskFilter } from './tasks.js';
export type { AskRow, MessageRow, NoteRow, Row, SubtaskRow, ToolRow } from './transcript/rows.js';
export { tellingArgument } from './transcript/telling.js';
export { TranscriptModel } from './transcript/transcript-model.js';
export type { Activity, ProviderSays } from './tree/activity.js';
export { LossCount, type Losses } from './tree/loss-count.js';
export { Transport } from './transport.js';
export { isStored, TreeModel, type StreamItem, type TaskNode } from './tree/tree-model.js';
