/** Whether what is stored was numbered by this server, and what mends it when not. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWebhook, RENUMBER_TRANSACTIONS, tailWebhooks, transactionNumbers } from '@bullpen/store';
import { waitFor } from '@bullpen/testing';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

describe('numbers of transactions', () => {
  let world: StoreWorld;
  let pool: Pool;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool } = world);
  });
  afterAll(() => world.close());

  const endedTask = async () => {
    await world.commands.cancel('default', await world.create(), null);
  };
  const fits = async () => {
    const { stored, next } = await transactionNumbers(pool);
    return stored < next;
  };

  it('fit the server that gave them', async () => {
    expect(await fits()).toBe(true);
    await createWebhook(pool, 'default', {
      url: 'https://example.com/hook',
      description: '',
      events: ['task.cancelled'],
      subtasks: false,
      secret: 'whsec_one',
    });
    await endedTask();
    await newEventsAreTold();
    expect(await fits()).toBe(true);
  });

  it.each([
    ['UPDATE ui_events SET tx = tx + 1000000'],
    ['UPDATE webhook_cursors SET tx = tx + 1000000'],
    ['UPDATE webhook_endpoints SET from_tx = from_tx + 1000000'],
    [`UPDATE webhook_endpoints SET from_snapshot = '1000000:1000000:'`],
  ])(
    'do not fit after %s, until they are mended; then new events are told, and no old ones',
    async (restored) => {
      await pool.query(restored);
      expect(await fits()).toBe(false);
      await pool.query(RENUMBER_TRANSACTIONS);
      expect(await fits()).toBe(true);
      await pool.query('DELETE FROM webhook_deliveries');
      await endedTask();
      await newEventsAreTold();
      const { rows } = await pool.query('SELECT type FROM webhook_deliveries');
      expect(rows).toEqual([{ type: 'task.cancelled' }]);
    },
  );

  /** Events are told when no transaction on this server, which other suites use, too, is older than theirs. */
  const newEventsAreTold = () => waitFor(async () => (await tailWebhooks(pool)) > 0, { what: 'a delivery' });
});
