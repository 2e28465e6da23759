/** Readers of events see none that an open transaction could still come before, and specs share one server. */
import type { createPool } from '@bullpen/store';
import { waitFor } from './wait-for.js';

const HELD_BACK =
  'SELECT FROM ui_events WHERE tx >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint LIMIT 1';

/** Resolves when every event of the database can be read on: no transaction on the server, of any suite, is older than one of them. */
export async function untilEventsShow(pool: ReturnType<typeof createPool>): Promise<void> {
  await waitFor(async () => (await pool.query(HELD_BACK)).rowCount === 0, {
    what: 'older transactions to end',
  });
}
