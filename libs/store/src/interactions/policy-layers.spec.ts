/** Layers of the policy in Postgres: read together, changed by revision, added to without loss. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES, type PolicyLayer } from '@bullpen/contracts';
import { EMPTY_LAYER } from '@bullpen/core';
import { createPool, PolicyLayerStore, type PolicyPlace } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool } from 'pg';

let database: TestDatabase;
let pool: Pool;
let policies: PolicyLayerStore;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ databaseUrl: database.url, max: 8, applicationName: 'policy-layers-spec' });
  policies = new PolicyLayerStore(pool);
  await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D'), ('other', 'O')`);
});
beforeEach(() => pool.query('TRUNCATE policy_layers'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const at = (scope: PolicyPlace['scope'], key = '', tenantId = 'default') => ({ tenantId, scope, key });
const allowing = (...allow: string[]): PolicyLayer => ({
  ...EMPTY_LAYER,
  rules: { ...NO_RULES, commands: { ...NO_RULES.commands, allow } },
});

describe('layers of the policy', () => {
  it('come together for a task, and only its own', async () => {
    const layers: [PolicyPlace, PolicyLayer][] = [
      [at('installation'), allowing('i')],
      [at('project', '/a'), allowing('a')],
      [at('project', '/b'), allowing('b')],
      [at('task', 'task_1'), allowing('1')],
      [at('task', 'task_2'), allowing('2')],
      [at('installation', '', 'other'), allowing('o')],
    ];
    for (const [place, layer] of layers) await policies.put(place, layer, 0, 'ann');
    expect(await policies.around('default', '/a', 'task_1')).toEqual({
      installation: allowing('i'),
      project: allowing('a'),
      task: allowing('1'),
    });
    expect(await policies.around('default', null, null)).toEqual({ installation: allowing('i') });
    expect(await policies.around('nobody', '/a', 'task_1')).toEqual({});
    expect((await policies.list('default')).map(({ scope, key }) => `${scope} ${key}`)).toEqual([
      ...['installation ', 'project /a', 'project /b', 'task task_1', 'task task_2'],
    ]);
  });

  it('that are asked for at the same moment come in one look, each to whoever asked for it', async () => {
    await policies.put(at('installation'), allowing('i'), 0, 'ann');
    await policies.put(at('project', '/a'), allowing('a'), 0, 'ann');
    await policies.put(at('installation', '', 'other'), allowing('o'), 0, 'ann');
    const places: [string, string | null, string | null][] = [
      ['default', null, null],
      ['other', '/a', null],
      ['default', '/a', 'task_1'],
      ['default', null, null],
      ['nobody', '/a', null],
    ];
    expect(await Promise.all(places.map((place) => policies.around(...place)))).toEqual([
      { installation: allowing('i') },
      { installation: allowing('o') },
      { installation: allowing('i'), project: allowing('a') },
      { installation: allowing('i') },
      {},
    ]);
  });

  it('are changed only by who read the present revision', async () => {
    const place = at('project', '/a');
    expect(await policies.put(place, allowing('x'), 3, 'ann')).toBeNull();
    expect(await policies.put(place, allowing('x'), 0, 'ann')).toMatchObject({
      revision: 1,
      updatedBy: 'ann',
    });
    expect(await policies.put(place, allowing('y'), 0, 'bob')).toBeNull();
    const both = await Promise.all(['ann', 'bob'].map((by) => policies.put(place, allowing(by), 1, by)));
    expect(both.filter((view) => view !== null)).toHaveLength(1);
    expect(await policies.get(place)).toMatchObject({ revision: 2 });
    expect(await policies.remove(place)).toMatchObject({ revision: 2 });
    expect(await policies.remove(place)).toBeNull();
    expect(await policies.get(place)).toBeNull();
  });

  it('lose nothing when many people let something be remembered at once', async () => {
    const place = at('task', 'task_1');
    const entries = Array.from({ length: 12 }, (_, index) => `command ${index}`);
    await Promise.all(entries.map((entry) => policies.remember(place, allowing(entry), 'ann')));
    const stored = await policies.get(place);
    expect(stored?.revision).toBe(12);
    expect([...(stored?.layer.rules.commands.allow ?? [])].sort()).toEqual([...entries].sort());
  });

  it('that cannot be read count as an error, not as nothing said', async () => {
    await policies.put(at('installation'), EMPTY_LAYER, 0, 'ann');
    await pool.query(`UPDATE policy_layers SET layer = '{"approvals": 1}'`);
    const both = [policies.around('default', null, null), policies.around('other', null, null)];
    expect(await Promise.allSettled(both)).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining('approvals') } },
      { status: 'fulfilled', value: {} },
    ]);
  });
});
