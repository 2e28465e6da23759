/** What every process needs: settings, logging, ids, and a clean end. */
export * from './answer-pings.js';
export { collectStart } from './collect-start.js';
export { parseEnv, type Env } from './env.js';
export * from './failure-text.js';
export { freePort, isPortFree } from './free-port.js';
export * from './ids.js';
export { credentialLines, type GitCredential } from './git-credentials.js';
export { logDestination } from './log-destination.js';
export { createLogger, silentLogger, type Logger } from './logger.js';
export * from './own-folder.js';
export * from './own-secrets.js';
export { isAlive, isRunning, processColumn } from './process-identity.js';
export { homeId } from './home-id.js';
export { processLockHolder, takeProcessLock } from './process-lock.js';
export { type ProxySettings, type Route, modelUrlOf, routeTo } from './proxy.js';
export { readIfThere } from './read-if-there.js';
export { secretLines, type SecretValue } from './secret-values.js';
export {
  connectionFault,
  pinned,
  resolveHost,
  type AddressRules,
  type HostAddresses,
  type Lookup,
  type ResolvedAddress,
} from './resolve-host.js';
export {
  gatewaySettings,
  type GatewaySettings,
  workerSettings,
  type WorkerSettings,
  upSettings,
  type UpSettings,
  describeSettings,
} from './settings.js';
export * from './repeating.js';
export { onShutdown, type ShutdownStep } from './shutdown.js';
export * from './unhandled.js';
export { settingsTable } from './settings-table.js';
