import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Masker } from '@bullpen/core';
import { silentLogger } from '@bullpen/platform';
import { createPool, createWebhook } from '@bullpen/store';
import { testDatabase, waitFor, type TestDatabase } from '@bullpen/testing';
import { maskWebhookSecrets } from './mask-webhook-secrets.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ databaseUrl: database.url, max: 2, applicationName: 'webhook-secrets' });
  await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const webhook = (name: string) =>
  createWebhook(pool, 'default', {
    ...{ url: `https://example.com/${name}`, description: '', events: ['task.completed'], subtasks: false },
    secret: `whsec_${name}-7q2ZxK9`,
  });

it('masks the secrets of webhooks, those that come later as well', async () => {
  await webhook('first');
  const masker = new Masker();
  const repeating = await maskWebhookSecrets({ pool, masker, logger: silentLogger() }, 20);
  expect(masker.mask('SECRET=whsec_first-7q2ZxK9')).toBe('SECRET=[secret WEBHOOK_SECRET]');
  await webhook('second');
  await waitFor(() => masker.mask('whsec_second-7q2ZxK9') === '[secret WEBHOOK_SECRET]', {
    what: 'the mask',
  });
  await repeating.stop();
});
