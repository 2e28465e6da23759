/** Conversations in small windows, one seed after the other, on one database. */
import { createPool } from '@bullpen/store';
import { playWindow } from './window-world.js';

/** Plays the seeds up to the first one in which something does not hold; gives how many were played, and what it was. */
export async function sweepWindows(
  databaseUrl: string,
  { seed, seeds }: { readonly seed: number; readonly seeds: number },
): Promise<{ readonly seeds: number; readonly violations: readonly string[] }> {
  const pool = createPool({ databaseUrl, max: 3, applicationName: 'bullpen-faults' });
  try {
    for (let played = 0; played < seeds; played += 1) {
      const violations = await playWindow(pool, seed + played);
      if (violations.length > 0) return { seeds: played + 1, violations };
    }
    return { seeds, violations: [] };
  } finally {
    await pool.end();
  }
}
