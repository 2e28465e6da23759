/** The gateway process. */
import { readFileSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { Masker, ModeMachine } from '@bullpen/core';
import { loadExtensions, problemText, tellProblems } from '@bullpen/extensions';
import {
  answerPings,
  collectStart,
  createLogger,
  exitOnUnhandled,
  failureText,
  localKeyFile,
  modelUrlOf,
  onShutdown,
  ownSecrets,
  parseEnv,
  type Logger,
} from '@bullpen/platform';
import { openEventBus, type QueueConnection } from '@bullpen/queue';
import { createPool, createPrisma, embeddedUrlIfRunning, ensureLocalKey, migrate } from '@bullpen/store';
import { BUILT_IN_TOOLS, schemaIssues, validateJson } from '@bullpen/tools';
import { gatewayConfig, type GatewayConfig } from './config.js';
import { createGateway } from './gateway.js';
import { knownHelper, knownModels } from './tasks/known-models.js';

const SHUTDOWN_MS = 10_000;

/** Knows what nobody may see, from the moment that the settings are read. */
const masker = new Masker();

async function main(): Promise<void> {
  const settings = parseEnv(gatewayConfig, process.env);
  const refused = masker.register(ownSecrets(settings));
  const pretty = process.stdout.isTTY;
  const logger = createLogger({ name: 'gateway', level: settings.LOG_LEVEL, pretty, masker });
  for (const secret of refused) logger.warn(secret, 'a secret value is not masked');
  exitOnUnhandled({ logger });
  answerPings();
  const databaseUrl = await databaseUrlOf(settings);
  await migrate({ databaseUrl, logger });
  const pool = createPool({ databaseUrl, applicationName: 'bullpen-gateway' });
  const prisma = createPrisma({ databaseUrl });
  const queue = queueConnectionOf(settings, databaseUrl);
  const bus = openEventBus(queue, logger);
  const keyFile = localKeyFile(settings.BULLPEN_HOME);
  const { created } = await ensureLocalKey({ prisma, keyFile });
  if (created) logger.info({ keyFile }, 'created an API key');
  const withBoth = { ...settings, DATABASE_URL: databaseUrl };
  masker.register(ownSecrets(withBoth));

  const extensions = await loadExtensions({
    home: settings.BULLPEN_HOME,
    modules: settings.EXTENSIONS ?? [],
    builtInTools: BUILT_IN_TOOLS,
    schemaIssues,
  });
  tellProblems(extensions.problems, logger);

  const gateway = await createGateway({
    settings,
    logger,
    pool,
    prisma,
    bus,
    queue,
    resolve: {
      agents: extensions.agents,
      defaultModel: settings.DEFAULT_MODEL,
      models: knownModels(settings),
      profiles: extensions.profiles,
      helperProfile: knownHelper(settings.HELPER_PROFILE, extensions.profiles),
      toolNames: extensions.toolNames,
      validate: validateJson,
      schemaIssues,
    },
    agentSources: extensions.sources,
    modes: new ModeMachine(extensions.modes),
    modeSources: extensions.modeSources,
    model: {
      baseUrl: modelUrlOf(settings),
      simulated: settings.MODEL_SIMULATED,
    },
    version: versionOf(),
    masker,
  });
  onShutdown({ logger, timeoutMs: SHUTDOWN_MS }, [
    { name: 'http', run: () => gateway.close() },
    { name: 'live events', run: () => bus.close() },
    { name: 'prisma', run: () => prisma.$disconnect() },
    { name: 'pool', run: () => pool.end() },
  ]);
  const { port, url } = await gateway.listen();
  logger.info({ port, url }, 'gateway is listening');
  collectStart();
  process.send?.({ type: 'listening', port, leftOut: extensions.problems.map(problemText) });
}

async function databaseUrlOf({ DATABASE_URL, BULLPEN_HOME }: GatewayConfig): Promise<string> {
  const url = DATABASE_URL ?? (await embeddedUrlIfRunning(BULLPEN_HOME));
  if (url !== null) return url;
  throw new AppError(
    'config_invalid',
    `There is no DATABASE_URL, and no embedded database runs in ${BULLPEN_HOME}. Set DATABASE_URL, or start everything with "bullpen up".`,
  );
}

function queueConnectionOf({ REDIS_URL, QUEUE_PREFIX }: GatewayConfig, databaseUrl: string): QueueConnection {
  if (REDIS_URL === undefined) return { kind: 'postgres', databaseUrl };
  return { kind: 'redis', redisUrl: REDIS_URL, prefix: QUEUE_PREFIX };
}

function versionOf(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** A start that fails tells why in plain words: it is a person's turn now. */
function fail(error: unknown, logger?: Logger): never {
  const message = masker.mask(failureText(error));
  process.stderr.write(`bullpen gateway: ${message}\n`);
  const code = error instanceof AppError ? error.code : 'internal_error';
  logger?.fatal({ err: error }, 'the gateway could not start');
  if (process.send === undefined) process.exit(1);
  process.send({ type: 'failed', code, message }, () => process.exit(1));
  throw error;
}

main().catch(fail);
