import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@bullpen/contracts';
import {
  ENDED_AT_ONCE,
  fakePostgres,
  STARTING_UP,
  testDatabase,
  type TestDatabase,
  waitFor,
} from '@bullpen/testing';
import type { Pool } from 'pg';
import { createPool, isUnreachable, mayPass } from './pool.js';
import { createPrisma } from './prisma-client.js';
import { inTransaction } from './transaction.js';

const NOWHERE = 'postgres://nobody:x@127.0.0.1:1/none';

describe('connections', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 2, applicationName: 'pool-spec' });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('give whole numbers of 64 bits exactly, JSON parsed and times as dates', async () => {
    const { rows } = await pool.query(
      `SELECT 9007199254740993::int8 AS big, 7::int4 AS small, '{"a":[1]}'::json AS json, '{"b":2}'::jsonb AS jsonb,
              '2026-01-02T03:04:05.678Z'::timestamptz AS at, current_setting('application_name') AS name`,
    );
    expect(rows).toEqual([
      {
        big: 9_007_199_254_740_993n,
        small: 7,
        json: { a: [1] },
        jsonb: { b: 2 },
        at: new Date('2026-01-02T03:04:05.678Z'),
        name: 'pool-spec',
      },
    ]);
  });

  it('tell what may pass from what the server would refuse again', async () => {
    const errorOf = (text: string, values: unknown[] = []) =>
      pool.query(text, values).then(
        () => null,
        (error: unknown) => error,
      );
    for (const refused of [
      await errorOf('SELECT $1::json', ['{"a":']),
      await errorOf('SELECT $1::text', ['a\u0000b']),
      await errorOf("SELECT $1::json ->> 'a'", ['{"a":"\\u0000"}']),
      await errorOf('SELECT $1::bigint::int', ['3000000000']),
      await errorOf(`INSERT INTO tenants (id) VALUES (NULL)`),
      new TypeError('a fault of ours'),
    ])
      expect([refused, mayPass(refused)]).toEqual([expect.anything(), false]);
    const nowhere = createPool({ databaseUrl: NOWHERE, max: 1 });
    const gone = await nowhere.query('SELECT 1').catch((error: unknown) => error);
    await nowhere.end();
    for (const passing of [
      gone,
      await nowhere.query('SELECT 1').catch((error: unknown) => error),
      await errorOf(`SET statement_timeout = 1; SELECT pg_sleep(1)`),
      await errorOf('SET TRANSACTION READ ONLY; CREATE TABLE x ()'),
    ])
      expect([passing, mayPass(passing)]).toEqual([expect.anything(), true]);
  });

  it('say that they were ended by the server, and are replaced by themselves', async () => {
    const errors: Error[] = [];
    const own = createPool({ databaseUrl: database.url, max: 1, onError: (error) => errors.push(error) });
    try {
      const { rows } = await own.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await waitFor(() => errors.length > 0, { what: 'the pool to report the lost connection' });
      expect(isUnreachable(errors[0])).toBe(true);
      expect((await own.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await own.end();
    }
  });

  it('let Prisma read and write the same rows', async () => {
    const prisma = createPrisma({ databaseUrl: database.url });
    try {
      await prisma.budgetAccount.create({ data: { rootId: 'task_x', spentNanoUsd: 5_000_000_000_000n } });
      const { rows } = await pool.query(
        "SELECT spent_nano_usd FROM budget_accounts WHERE root_id = 'task_x'",
      );
      expect(rows).toEqual([{ spent_nano_usd: 5_000_000_000_000n }]);
    } finally {
      await prisma.$disconnect();
    }
  });
});

describe('isUnreachable', () => {
  it('holds for a server that is not there, through pg and through Prisma', async () => {
    const pool = createPool({ databaseUrl: NOWHERE });
    const prisma = createPrisma({ databaseUrl: NOWHERE });
    const [fromPg, fromPrisma] = await Promise.all([
      pool.query('SELECT 1').catch((error: unknown) => error),
      prisma.tenant.count().catch((error: unknown) => error),
    ]);
    await Promise.all([pool.end(), prisma.$disconnect()]);
    expect([isUnreachable(fromPg), isUnreachable(fromPrisma)]).toEqual([true, true]);
  });

  it('holds for a server that is just starting, through pg and through Prisma', async () => {
    const server = await fakePostgres(STARTING_UP);
    const databaseUrl = server.url;
    const pool = createPool({ databaseUrl });
    const prisma = createPrisma({ databaseUrl });
    const errors = await Promise.all([
      pool.query('SELECT 1').catch((error: unknown) => error),
      prisma.apiKey.findUnique({ where: { hash: 'x' } }).catch((error: unknown) => error),
      prisma.$queryRaw`SELECT 1`.catch((error: unknown) => error),
    ]);
    await Promise.all([pool.end(), prisma.$disconnect()]);
    await server.close();
    expect(errors.map(isUnreachable)).toEqual([true, true, true]);
  });

  it('that are ended as soon as they are made are an error, and not the end of the process', async () => {
    const server = await fakePostgres(ENDED_AT_ONCE);
    const own = createPool({ databaseUrl: server.url, max: 1 });
    const work = () => inTransaction(own, () => Promise.resolve('done'));
    for (let n = 0; n < 3; n += 1) expect(await work().catch(isUnreachable)).toBe(true);
    const prisma = createPrisma({ databaseUrl: server.url });
    const read = prisma.tenant.findMany();
    expect(await prisma.$transaction([read]).catch(isUnreachable)).toBe(true);
    expect(server.answered).toBeGreaterThanOrEqual(4);
    await Promise.all([own.end(), prisma.$disconnect()]);
    await server.close();
  });

  it.each([
    ['a shutdown', Object.assign(new Error('terminating connection'), { code: '57P01' }), true],
    ['a connection failure', Object.assign(new Error('lost'), { code: '08006' }), true],
    ['a connection that broke', new Error('Connection terminated unexpectedly'), true],
    [
      'a cause further in',
      new Error('step failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }),
      true,
    ],
    [
      'one of several tries',
      new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
      true,
    ],
    ['our own error', new AppError('database_unreachable', 'x'), true],
    ['a broken rule', Object.assign(new Error('duplicate key'), { code: '23505' }), false],
    ['another error of ours', new AppError('not_found', 'x'), false],
    ['no error at all', 'ECONNREFUSED', false],
  ])('knows %s', (_what, error, expected) => {
    expect(isUnreachable(error)).toBe(expected);
  });
});
