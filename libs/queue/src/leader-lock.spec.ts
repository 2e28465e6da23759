import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@bullpen/platform';
import { testDatabase, waitFor, type TestDatabase } from '@bullpen/testing';
import { PgLeaderLock } from './leader-lock.js';
import { onDatabase } from './testing/sql.js';
import { TcpProxy } from './testing/tcp-proxy.js';

describe('PgLeaderLock', () => {
  let database: TestDatabase;
  let keys = 0n;
  const opened: { release(): Promise<void> }[] = [];
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((lock) => lock.release()));
  });

  const aLock = (key: bigint, databaseUrl = database.url, silenceMs?: number): PgLeaderLock => {
    const limit = silenceMs === undefined ? {} : { silenceMs };
    const lock = new PgLeaderLock({ databaseUrl, key, logger: silentLogger(), ...limit });
    opened.push(lock);
    return lock;
  };
  const newKey = (): bigint => (keys += 1n);

  it('is held by one of two, until that one releases it', async () => {
    const key = newKey();
    const [first, second] = [aLock(key), aLock(key)];

    expect(await first.hold()).toBe(true);
    expect(await second.hold()).toBe(false);
    expect(await first.hold()).toBe(true);
    await first.release();
    await first.release();

    await waitFor(() => second.hold(), { what: 'the second to lead' });
    expect(await first.hold()).toBe(false);
  });

  it('has one holder when many ask at the same moment, many times each', async () => {
    const key = newKey();
    const locks = Array.from({ length: 5 }, () => aLock(key));

    const answers = await Promise.all(
      locks.map(async (lock) => await Promise.all([lock.hold(), lock.hold(), lock.hold()])),
    );

    expect(answers.filter((held) => held.every(Boolean))).toHaveLength(1);
    expect(answers.flat().filter(Boolean)).toHaveLength(3);
  });

  it('gives different roles to different holders', async () => {
    const [one, other] = [aLock(newKey()), aLock(newKey())];

    expect(await Promise.all([one.hold(), other.hold()])).toEqual([true, true]);
  });

  it('is lost with its connection, and taken by whoever asks first', async () => {
    const key = newKey();
    const [first, second] = [aLock(key), aLock(key)];
    await first.hold();
    await second.hold();

    await onDatabase(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted`,
      [key.toString()],
    );
    await waitFor(() => second.hold(), { what: 'the second to lead' });

    expect(await first.hold()).toBe(false);
  });

  it('is not held while the server cannot be reached, and held again afterwards', async () => {
    const proxy = await new TcpProxy(database.url).open();
    const lock = aLock(newKey(), proxy.url);
    expect(await lock.hold()).toBe(true);

    await proxy.cut();
    expect(await lock.hold()).toBe(false);
    await proxy.open();

    await waitFor(() => lock.hold(), { what: 'it to lead again' });
    await lock.release();
    await proxy.cut();
  });

  it('says that it cannot prove its leadership over a connection that went silent, and loses it on the server, too', async () => {
    const proxy = await new TcpProxy(database.url).open();
    const key = newKey();
    const [cutOff, other] = [aLock(key, proxy.url, 2_000), aLock(key)];
    expect(await cutOff.hold()).toBe(true);

    proxy.silence();

    expect(await cutOff.hold()).toBe(false);
    await waitFor(() => other.hold(), { what: 'the server to give the lock away' });
    await cutOff.release();
    await proxy.cut();
  });
});
