import { expect, it } from '@jest/globals';
import { createLogger, newId } from '@bullpen/platform';
import { createPool, StoreReconciler, TaskCommands } from '@bullpen/store';
import { aDefinition, testDatabase } from '@bullpen/testing';
import { invariantWatch } from './invariant-watch.js';

it('looks on request only, says which rows break which rule, counts it, and mends nothing', async () => {
  const database = await testDatabase();
  const pool = createPool({ databaseUrl: database.url, max: 3, applicationName: 'invariant-watch-spec' });
  const lines: string[] = [];
  const logger = createLogger({
    name: 'spec',
    level: 'error',
    destination: { write: (line) => lines.push(line) },
  });
  const store = new StoreReconciler({ pool, onCommitted: () => undefined });
  try {
    expect(invariantWatch(0, pool, store, logger)).toEqual([]);
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    const id = newId('task');
    const rest = { input: null, priority: 0, runAt: null, tags: [], metadata: {}, title: 'T', prompt: 'P' };
    const commands = new TaskCommands({ pool, newId });
    await commands.create({
      id,
      tenantId: 'default',
      definition: aDefinition(),
      workspace: { kind: 'empty' },
      ...rest,
    });
    const [job] = invariantWatch(60_000, pool, store, logger);
    expect(await job?.run()).toBe(0);
    expect(lines).toEqual([]);

    await pool.query(`UPDATE ui_events SET seq = 7 WHERE task_id = $1 AND seq = 2`, [id]);
    expect(await job?.run()).toBe(0);
    expect(lines.join()).toContain(id);
    const { rows } = await pool.query(`SELECT count::int FROM repairs WHERE kind = 'invariant_violation'`);
    expect(rows).toEqual([{ count: 1 }]);
    const { rows: events } = await pool.query('SELECT seq FROM ui_events WHERE task_id = $1 ORDER BY seq', [
      id,
    ]);
    expect(events).toEqual([{ seq: 1 }, { seq: 7 }]);
  } finally {
    await pool.end();
    await database.drop();
  }
});
