/** Keys of requests that come together. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { StoreWorld } from '../../test/store-world.js';
import { IdempotencyKeys, type Begin } from './idempotency.js';

let world: StoreWorld;
let keys: IdempotencyKeys;
beforeAll(async () => {
  world = await StoreWorld.open();
  keys = new IdempotencyKeys(world.pool);
});
afterAll(() => world.close());

const ref = (key: string, tenantId = 'default') => ({ tenantId, key });
const begin = (key: string, hash = 'body', tenantId?: string) => keys.begin(ref(key, tenantId), hash);
const kindsOf = (all: readonly Begin[]) => all.map(({ kind }) => kind);
const claimOf = (one: Begin) => {
  if (one.kind !== 'fresh') throw new Error(`The key is ${one.kind}`);
  return one.claim;
};
const answer = (n: number) => ({ status: 200 + n, location: null, response: { n } });

it('of many requests at the same moment one has each key', async () => {
  const all = await Promise.all([
    ...Array.from({ length: 20 }, () => begin('same')),
    begin('same', 'another body'),
    begin('same', 'body', 'other'),
    begin('mine'),
  ]);
  expect(kindsOf(all)).toEqual(['fresh', ...Array(19).fill('in_flight'), 'reused', 'fresh', 'fresh']);
});

it('each gets its own answer again, and what answered nothing gives its key back', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `answer ${n}`);
  const claims = (await Promise.all(names.map((name) => begin(name)))).map(claimOf);
  const [lost, ...others] = claims;
  if (lost === undefined) throw new Error('nothing was taken');
  await Promise.all([keys.abandon(lost), ...others.map((claim, n) => keys.complete(claim, answer(n)))]);
  const again = await Promise.all(names.map((name) => begin(name)));
  expect(kindsOf(again)).toEqual(['fresh', ...others.map(() => 'replay')]);
  expect(again.flatMap((one) => (one.kind === 'replay' ? [one.answer] : []))).toEqual(
    others.map((_, n) => answer(n)),
  );
});

it('an answer to a claim that was taken over stores nothing', async () => {
  const young = claimOf(await begin('late'));
  // As if it had been taken a minute ago, the claim as well: one of the same millisecond would be the one that takes over.
  const claim = { ...young, since: new Date(young.since.getTime() - 61_000) };
  await world.pool.query(
    `UPDATE idempotency_keys SET created_at = created_at - interval '61 s' WHERE key = 'late'`,
  );
  const second = claimOf(await begin('late'));
  await keys.complete(claim, answer(1));
  expect(await begin('late')).toEqual({ kind: 'in_flight' });
  await keys.complete(second, { ...answer(2), response: null });
  expect(await begin('late')).toMatchObject({ kind: 'replay', answer: { status: 202, response: null } });
});
