/** CPU time of a whole Postgres server, of which a figure knows only a connection. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Pool } from './database.js';

/** The kernel counts in hundredths of a second (see `cpu-time.ts`). */
const MS_PER_TICK = 10;

/** User and system time of all of the server's processes so far, of those that have ended as well, in ms; null where there is no `/proc`. */
export async function serverCpuMs(pool: Pool): Promise<number | null> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = statOf(String(rows[0]?.pid))?.parent;
  if (server === undefined) return null;
  const own = statOf(server);
  const children = readdirSync('/proc').flatMap((pid) => {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : null;
    return stat?.parent === server ? [stat.ticks] : [];
  });
  const ticks = children.reduce((sum, one) => sum + one, (own?.ticks ?? 0) + (own?.ticksOfEnded ?? 0));
  return ticks * MS_PER_TICK;
}

function statOf(pid: string): { parent: string; ticks: number; ticksOfEnded: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // It has ended, or this is not Linux.
  }
  // The name in brackets may hold spaces; the fields after it do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (place: number) => Number(fields[place]);
  return { parent: fields[1] ?? '', ticks: at(11) + at(12), ticksOfEnded: at(13) + at(14) };
}
