/** Postgres: the durable record. Everything that touches the database is in this library. */
export * from './embedded/embedded-postgres.js';
export { suggestHome } from './embedded/server-user.js';
export { migrate, type MigrateOptions, migrationStatus, type MigrationStatus } from './migrate.js';
export * from './pool.js';
export * from './prisma-client.js';
export * from './api-keys.js';
export * from './idempotency.js';
export * from './queries/index.js';
export * from './commands.js';
export * from './dispatches.js';
export * from './effects.js';
export * from './leases/lease-keeper.js';
export * from './reconcile.js';
export type { RetryRequest, RetryResult } from './retrying.js';
export * from './task-store.js';
export * from './workers.js';
export { checkInvariants } from './invariants/check-invariants.js';
