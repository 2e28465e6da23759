/** The secrets of webhooks are masked as well: an agent that works on a receiver may meet one. */
import type { Masker } from '@bullpen/core';
import { Repeating, type Logger } from '@bullpen/platform';
import { webhookSecretsSince, type createPool } from '@bullpen/store';

/** Soon enough: a secret that was just made is not yet in any file. */
const EVERY_MS = 60_000;

export interface WebhookSecretsOptions {
  readonly pool: ReturnType<typeof createPool>;
  readonly masker: Masker;
  readonly logger: Logger;
}

/** Learns all secrets, and from time to time those that are new. Rejects when the database cannot be reached now. */
export async function maskWebhookSecrets(
  { pool, masker, logger }: WebhookSecretsOptions,
  everyMs = EVERY_MS,
): Promise<Repeating> {
  let newest: Date | null = null;
  const run = async (): Promise<void> => {
    const secrets = await webhookSecretsSince(pool, newest);
    newest = secrets.at(-1)?.createdAt ?? newest;
    masker.register(secrets.map(({ secret }) => ({ name: 'WEBHOOK_SECRET', value: secret })));
  };
  await run();
  const repeating = new Repeating({ name: 'reading new secrets of webhooks', everyMs, run, logger });
  repeating.start();
  return repeating;
}
