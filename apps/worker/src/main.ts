/** Entry of a worker process. */
import { readFileSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { Masker } from '@bullpen/core';
import {
  answerPings,
  collectStart,
  createLogger,
  exitOnUnhandled,
  failureText,
  onShutdown,
  ownSecrets,
  parseEnv,
  workerSettings,
} from '@bullpen/platform';
import { startWorker } from './compose.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Knows what nobody may see, from the moment that the settings are read. */
const masker = new Masker();

async function main(): Promise<void> {
  const settings = parseEnv(workerSettings, process.env);
  const refused = masker.register(ownSecrets(settings));
  const logger = createLogger({ name: 'worker', level: settings.LOG_LEVEL, masker });
  for (const secret of refused) logger.warn(secret, 'a secret value is not masked');
  exitOnUnhandled({ logger });
  answerPings();
  const { DATABASE_URL } = settings;
  if (DATABASE_URL === undefined) {
    throw new AppError(
      'config_invalid',
      'A worker needs DATABASE_URL; `bullpen up` starts workers together with an embedded database',
    );
  }
  const failed = new AbortController();
  const worker = await startWorker({
    onFailed: (error) => failed.abort(error),
    settings: { ...settings, DATABASE_URL },
    logger,
    masker,
    version,
    commandPath: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  });
  const timeoutMs = settings.DRAIN_MS + 10_000;
  onShutdown({ logger, timeoutMs, failed: failed.signal }, worker.shutdownSteps);
  logger.info(
    { workerId: worker.id, slots: settings.WORKER_SLOTS, simulated: settings.MODEL_SIMULATED },
    'worker is ready',
  );
  collectStart();
  process.send?.({ type: 'ready', sandbox: worker.sandbox });
}

main().catch((error: unknown) => {
  process.stderr.write(`${masker.mask(failureText(error))}\n`);
  process.exit(1);
});
