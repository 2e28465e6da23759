/** What becomes of attachments when the trees that refer to them are deleted. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { emptyStep } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { pngHead } from '@bullpen/testing';
import { StoreWorld } from '../../test/store-world.js';
import { pruneTrees } from '../tasks/retention.js';
import { Attachments } from './attachments.js';

let world: StoreWorld;
let attachments: Attachments;
beforeAll(async () => {
  world = await StoreWorld.open();
  attachments = new Attachments(world.pool);
});
afterAll(() => world.close());

let width = 100;
/** A content that nobody else has. */
const bring = async (tenantId = 'default') => {
  const media = await attachments.keep(tenantId, pngHead((width += 1), 10));
  if (media === null) throw new Error('a picture is refused');
  return media.sha256;
};
const is = async (sha256: string, tenantId = 'default') =>
  (await attachments.describe(tenantId, sha256)) !== null;
/** An ended task that was given a content. */
const aTask = async (sha256: string, tenantId = 'default') => {
  const id = await world.create({ tenantId, contextItems: [{ kind: 'attachment', sha256 }] });
  const lease = await world.claim(id);
  const outcome = { state: 'completed', cause: 'goal', output: 'x', partial: false, failure: null } as const;
  await world.store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
  return id;
};
/** As if all that there is had come about so many days ago. */
const age = async (days: number) => {
  const past = `- ${days} * interval '1 day'`;
  await world.pool.query(`UPDATE tasks SET created_at = created_at ${past}, ended_at = ended_at ${past}`);
  await world.pool.query(`UPDATE attachments SET kept_at = kept_at ${past}`);
};
const prune = () =>
  pruneTrees(
    { pool: world.pool, olderThanS: 30 * 86_400, states: ['completed'], tenantId: null },
    new AbortController().signal,
  );

it('they go with the last tree that can refer to them, and not before', async () => {
  const first = await bring();
  await aTask(first);
  await age(20);
  const second = await bring();
  await aTask(second);
  await age(15);

  await prune();
  expect([await is(first), await is(second)]).toEqual([false, true]);

  await age(20);
  await prune();
  expect(await is(second)).toBe(false);
});

it('one that was brought and is not referred to yet stays for a day', async () => {
  const content = await bring();
  await prune();
  expect(await is(content)).toBe(true);
  await age(2);
  await prune();
  expect(await is(content)).toBe(false);
});

it('one that a later task mentions stays as long as that task', async () => {
  const content = await bring();
  await aTask(content);
  await age(20);
  expect(await attachments.mention('default', content)).toMatchObject({ sha256: content });
  await aTask(content);
  await age(15);
  await prune();
  expect(await is(content)).toBe(true);
});

it('one that a task started over has from its predecessor stays with it', async () => {
  const content = await bring();
  const old = await aTask(content);
  await age(31);
  const request = { taskId: newId('task'), message: null, limits: {} };
  expect(await world.commands.redo('default', old, request)).toMatchObject({ kind: 'created' });
  await prune();
  expect(await is(content)).toBe(true);
});

it('trees of other tenants keep none, and lose none', async () => {
  const [ours, theirs] = [await bring('other'), await bring()];
  await aTask(ours, 'other');
  await age(31);
  await aTask(theirs);
  await attachments.mention('default', theirs);
  await prune();
  expect([await is(ours, 'other'), await is(theirs)]).toEqual([false, true]);
});
