import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_SECRETS } from '@bullpen/core';
import { parseEnv, silentLogger, workerSettings } from '@bullpen/platform';
import {
  pgBouncerAvailable,
  testDatabase,
  testPgBouncer,
  type TestDatabase,
  type TestPgBouncer,
} from '@bullpen/testing';
import { startWorker } from './compose.js';

/** Skipped where the machine has no PgBouncer (Debian: `apt-get install pgbouncer`). */
const describeWithPgBouncer = pgBouncerAvailable() ? describe : describe.skip;

describeWithPgBouncer('a worker whose DATABASE_URL leads through a pooler of transactions', () => {
  let database: TestDatabase;
  let pooler: TestPgBouncer;
  beforeAll(async () => {
    database = await testDatabase();
    pooler = await testPgBouncer(database.url, { poolMode: 'transaction' });
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  it('does not start, and says what to set', async () => {
    const env = { DATABASE_URL: pooler.url, ANTHROPIC_API_KEY: 'a' };
    const settings = { ...parseEnv(workerSettings, env), DATABASE_URL: pooler.url };
    const starting = startWorker({
      settings,
      logger: silentLogger(),
      masker: NO_SECRETS,
      version: '0',
      commandPath: '/bin',
    });
    await expect(starting).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/DATABASE_URL.*pool_mode=session/s),
    });
  });
});
