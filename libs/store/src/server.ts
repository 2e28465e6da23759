/** The server alone: who starts it, and brings its schema up to date, needs nothing of what is stored in it. */
export {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  embeddedUrlIfRunning,
} from './embedded/embedded-postgres.js';
export { requireOwnSessions } from './database/own-sessions.js';
export { migrate } from './migrations/migrate.js';
