/** Worlds on a real Postgres, in a few lanes side by side: each lane has a database of its own. */
import { createPool } from '@bullpen/store';
import { sweep, type SweepOptions, type SweepReport } from '../sweep/sweep.js';
import { addTenant, PostgresBackend } from './postgres-backend.js';

/** Runs the seeds on the databases, in equal parts. */
export async function sweepPostgres(
  databaseUrls: readonly string[],
  options: Omit<SweepOptions, 'open'>,
): Promise<SweepReport> {
  const seeds = Math.ceil(options.seeds / databaseUrls.length);
  const reports = await Promise.all(
    databaseUrls.map((url, lane) => sweepLane(url, { ...options, seeds, seed: options.seed + lane * seeds })),
  );
  const sum = (of: (report: SweepReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    seeds: sum((report) => report.seeds),
    tasks: sum((report) => report.tasks),
    requests: sum((report) => report.requests),
    waitsForSubtasks: sum((report) => report.waitsForSubtasks),
    steps: sum((report) => report.steps),
    faults: sum((report) => report.faults),
    seconds: Math.max(...reports.map((report) => report.seconds)),
    failures: reports.flatMap((report) => report.failures),
    traces: reports.flatMap((report) => report.traces),
  };
}

async function sweepLane(databaseUrl: string, options: Omit<SweepOptions, 'open'>): Promise<SweepReport> {
  const pool = createPool({ databaseUrl, max: 3, applicationName: 'bullpen-faults' });
  try {
    await addTenant(pool);
    return await sweep({ ...options, open: (tell, world) => new PostgresBackend({ pool, tell, world }) });
  } finally {
    await pool.end();
  }
}
