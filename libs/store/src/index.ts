/** Postgres: the durable record. Everything that touches the database is in this library. */
export {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  embeddedUrlIfRunning,
} from './embedded/embedded-postgres.js';
export { hasOwnSessions, requireOwnSessions } from './database/own-sessions.js';
export { Attachments } from './media/attachments.js';
export { migrate, migrationStatus } from './migrations/migrate.js';
export { type PolicyPlace, PolicyLayerStore } from './interactions/policy-layers.js';
export { createPool, isUnreachable } from './database/pool.js';
export { type Prisma, createPrisma } from './database/prisma-client.js';
export { ProcessStore } from './processes/processes.js';
export {
  type ProviderKey,
  providerKeyOf,
  type ProviderKeyState,
  type ProviderPause,
  ProviderKeys,
} from './providers/provider-keys.js';
export {
  type ApiKeyScope,
  type Principal,
  newApiKey,
  hashApiKey,
  checkApiKey,
  touchApiKey,
  registerApiKey,
  ensureLocalKey,
  keyName,
} from './requests/api-keys.js';
export {
  type SessionCheck,
  SESSION_MS,
  issueLoginCode,
  openSession,
  checkSession,
  endSession,
  purgeSessions,
} from './requests/browser-sessions.js';
export {
  type StoredAnswer,
  type IdempotencyClaim,
  type KeyedAnswer,
  IdempotencyKeys,
  completeWithin,
  purgeIdempotencyKeys,
} from './requests/idempotency.js';
export {
  badCursor,
  newTaskView,
  type EventPlace,
  type EventScope,
  FIRST_PLACE,
  cursorOf,
  placeOf,
  comparePlaces,
  readTaskEvents,
  readScopeEvents,
  hasEventsAfter,
  readEventSeqs,
  currentPlace,
  listFailures,
  getIdentity,
  listApiKeys,
  revokeApiKey,
  createSavedView,
  deleteSavedView,
  listSavedViews,
  searchTasks,
  countOpening,
  createShare,
  listShares,
  openShare,
  type OpenShare,
  revokeShare,
  updateSavedView,
  findIds,
  getInteraction,
  listInteractions,
  type FoundProcess,
  pageOfProcesses,
  figuresByTenant,
  figuresOf,
  getQueueSamples,
  getQueueState,
  getWorkers,
  type QueueState,
  findCheckpoint,
  newestCheckpoint,
  newestCheckpointOf,
  rangeOfTask,
  type CheckpointRange,
  pageOfCheckpoints,
  pageOfWorkspaces,
  rootsOfTenant,
  storedInDatabase,
  totalsOfWorkspaces,
  findProcess,
  askOfProcess,
  getBulkAction,
  listBulkActions,
  listBulkItems,
  previewBulk,
  getSystemState,
  countTasksByState,
  type TaskRef,
  listAttempts,
  listToolCalls,
  getBriefing,
  getToolOutput,
  getModelCallBodies,
  listModelCalls,
  listInbox,
  getInboxMessage,
  listApiHistory,
  getTask,
  getTaskHead,
  type TaskHead,
  TaskTails,
  listTasks,
  getTaskTree,
  getExportedTree,
  readEvents,
  readHistories,
  listTenants,
  getTenant,
  createTenant,
  updateTenant,
  getTaskUsage,
  getTimeline,
  getUsageReport,
  listWebhooks,
  getWebhook,
  listDeliveries,
  getDelivery,
} from './queries/index.js';
export type { AnswerResult } from './interactions/answers.js';
export {
  type PauseResult,
  type ResumeResult,
  type InterruptResult,
  type UpdateResult,
  type SwitchResult,
  type NewRootTask,
  TaskCommands,
} from './tasks/commands.js';
export * from './tasks/dispatches.js';
export { BulkWork, type ClaimedBulk, type ItemEnd, type LeftItem } from './bulk/bulk-work.js';
export type { TaskConditions } from './queries/task-filter.js';
export { indexEvents } from './search/search-index.js';
export { addUpUsage } from './usage/usage-hours.js';
export { Flows } from './queues/flows.js';
export { sampleQueue } from './queues/queue-samples.js';
export { LeaseKeeper } from './leases/lease-keeper.js';
export { type Moment, momentNow } from './leases/moment.js';
export { type KeptText, PromptBodies } from './tasks/prompt-bodies.js';
export { type PruneFilter, pruneTrees, countPrunable, knownTasks } from './tasks/retention.js';
export { StoreReconciler } from './repairs/reconciler.js';
export { findForkSource, type ForkSource } from './tasks/fork.js';
export type { Within } from './database/transaction.js';
export type { RetryResult } from './tasks/retries.js';
export { PostgresTaskStore } from './tasks/task-store.js';
export * from './database/transaction-numbers.js';
export {
  type WebhookRef,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  type Queued,
  pingWebhook,
  replayDelivery,
  webhookSecretsSince,
} from './webhooks/endpoints.js';
export { type ClaimedDelivery, type GiveUpRule, WebhookOutbox, pruneDeliveries } from './webhooks/outbox.js';
export { type FireResult, transitionsView } from './tasks/transitions.js';
export { tailWebhooks } from './webhooks/tail.js';
export { seeWorker, type ReconcilerRole, reconcilerRole } from './leases/workers.js';
export { checkInvariants, nextRoots } from './invariants/check-invariants.js';
export { PostgresPackStore } from './checkpoints/pack-store.js';
export { Restores, type RestoreRequestResult } from './workspaces/restores.js';
export { DueRestores, type DueRestore, type RestoreEnd } from './workspaces/due-restores.js';
export { WorkspaceRows, type SeenWorkspace } from './workspaces/workspace-rows.js';
export { CheckpointHouse } from './checkpoints/checkpoint-house.js';
export { WorkspaceHouse, type HousedWorkspace } from './workspaces/workspace-house.js';
