import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createPool, hasOwnSessions, migrate, requireOwnSessions } from '@bullpen/store';
import {
  pgBouncerAvailable,
  testDatabase,
  testPgBouncer,
  type PgBouncerOptions,
  type TestDatabase,
  type TestPgBouncer,
} from '@bullpen/testing';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

it('PostgreSQL itself gives each connection a session of its own', async () => {
  expect(await hasOwnSessions(database.url)).toBe(true);
});

it('of a database that cannot be reached nothing is said', async () => {
  expect(await hasOwnSessions('postgresql://nobody@127.0.0.1:1/none')).toBeNull();
  await expect(requireOwnSessions('postgresql://nobody@127.0.0.1:1/none')).resolves.toBeUndefined();
});

/** Skipped where the machine has no PgBouncer (Debian: `apt-get install pgbouncer`). */
const describeWithPgBouncer = pgBouncerAvailable() ? describe : describe.skip;

describeWithPgBouncer('through PgBouncer', () => {
  let pooler: TestPgBouncer | null = null;
  const start = async (options: PgBouncerOptions) => {
    pooler = await testPgBouncer(database.url, options);
    return pooler.url;
  };
  afterEach(async () => {
    await pooler?.stop();
  });

  it.each<[string, PgBouncerOptions]>([
    ['transactions', { poolMode: 'transaction' }],
    [
      'transactions over one server connection',
      { poolMode: 'transaction', settings: ['default_pool_size = 1'] },
    ],
    [
      'transactions in turn',
      { poolMode: 'transaction', settings: ['server_round_robin = 1', 'min_pool_size = 2'] },
    ],
    [
      'transactions in turn over many',
      { poolMode: 'transaction', settings: ['server_round_robin = 1', 'min_pool_size = 7'] },
    ],
    ['statements', { poolMode: 'statement' }],
  ])('a pool of %s is refused, and told what to set', async (_what, options) => {
    const url = await start(options);
    const refused = { code: 'config_invalid', message: expect.stringContaining('pool_mode=session') };
    await expect(requireOwnSessions(url)).rejects.toMatchObject(refused);
    await expect(migrate({ databaseUrl: url })).rejects.toMatchObject(refused);
  });

  it('a pool of transactions is noticed while others use it, too', async () => {
    const url = await start({ poolMode: 'transaction', settings: ['default_pool_size = 4'] });
    const others = Array.from({ length: 6 }, () => createPool({ databaseUrl: url, max: 1 }));
    let busy = true;
    const work = others.map(async (pool) => {
      while (busy) await pool.query('SELECT pg_sleep(0.002)');
    });
    for (let time = 0; time < 5; time += 1) expect(await hasOwnSessions(url)).toBe(false);
    busy = false;
    await Promise.all(work);
    await Promise.all(others.map((pool) => pool.end()));
  });

  it('a pool of sessions is taken, with the settings that it has by itself', async () => {
    const url = await start({ poolMode: 'session' });
    expect(await hasOwnSessions(url)).toBe(true);
    expect(await migrate({ databaseUrl: url })).toEqual({ applied: [] });
    const pool = createPool({ databaseUrl: url, max: 1 });
    const { rows } = await pool.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('plan_cache_mode') AS plans,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    await pool.end();
    expect(rows).toEqual([{ statement: '30s', plans: 'force_generic_plan', idle: '15s' }]);
  });

  it('a pool of sessions that has one left is taken as well', async () => {
    const url = await start({ poolMode: 'session', settings: ['default_pool_size = 1'] });
    expect(await hasOwnSessions(url)).toBeNull();
    await expect(requireOwnSessions(url)).resolves.toBeUndefined();
  });
});
