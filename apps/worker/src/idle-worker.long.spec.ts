/**
 * What a worker reads while there is nothing to do. Slow, because an idle worker has to be watched for nine seconds to be seen
 * doing nothing.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defineScenario } from '@bullpen/model-sim';
import { makeLargeHistory, MANY, queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** Rows that an idle worker may read in a second: some slices, and the delayed jobs that are shown. */
const MOST_A_SECOND = 1_500;

const [backend] = queueBackends();
let world: WorkerWorld;

beforeAll(async () => {
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, defineScenario({ name: 'idle', agents: {} }));
  await makeLargeHistory(world.pool);
  // Another key than the parked one would let these go on.
  await world.pool.query(
    `UPDATE tasks SET state = 'paused', wait_reason = NULL WHERE wait_reason = 'provider'`,
  );
  await world.pool.query(
    `UPDATE waits SET satisfied_at = now() WHERE due_at < now() OR provider_key IS NOT NULL`,
  );
  await world.pool.query('VACUUM ANALYZE');
});
afterAll(() => world.close());

interface Look {
  /** Rows that were read from the tables of the product since the database was made. */
  readonly rows: number;
  /** How long the worker has been reporting. */
  readonly seconds: number;
}

/** Waits until the worker has reported for so many seconds; looks seldom, because looking reads rows as well. */
function after(workerId: string, seconds: number): Promise<Look> {
  const look = async () => {
    await world.pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await world.pool.query<Look>(
      `SELECT extract(epoch FROM seen_at - started_at)::float8 AS seconds,
         (SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_user_tables WHERE schemaname = 'public') AS rows
       FROM workers WHERE id = $1`,
      [workerId],
    );
    const [seen] = rows;
    return seen !== undefined && seen.seconds >= seconds && seen;
  };
  return waitFor(look, { what: `${seconds} s of reports`, everyMs: 500 });
}

it('leaves a large history alone as long as nothing of it is due', async () => {
  const { id } = await world.start({ INVARIANTS_EVERY_MS: '60000', RETENTION_DAYS: '3650' });
  // All that it does has run by then.
  const first = await after(id, 4);
  const last = await after(id, first.seconds + 9);
  const aSecond = (last.rows - first.rows) / (last.seconds - first.seconds);
  // Whoever walks through one kind of tasks every two seconds reads more than that.
  expect(MANY / 2).toBeGreaterThan(MOST_A_SECOND);
  expect(aSecond).toBeLessThan(MOST_A_SECOND);
});
