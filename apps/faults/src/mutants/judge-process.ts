/** Judges the product that it finds itself in: a copy with a bug planted, or without one. */
import { approvals } from '../drills/x24-approvals.js';
import type { Drill } from '../drill.js';
import { lostDisks } from '../drills/x25-lost-disks.js';
import { restores } from '../drills/x26-restores.js';
import { runDrill } from '../drill-parts.js';
import { sweepPostgres } from '../store-sweep/sweep-postgres.js';
import { sweep } from '../sweep/sweep.js';
import { sweepWindows } from '../windows/sweep-windows.js';
import type { JudgeAnswer, JudgeRequest } from './judge.js';

const request = JSON.parse(process.argv[2] ?? '') as JudgeRequest;
const drill = { people: approvals, disks: lostDisks, restores, sweep: null, store: null, windows: null }[
  request.judge
];
const answer = drill === null ? await byWorlds(request) : await byDrill(drill, request);
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit(answer.violations.length === 0 ? 0 : 1);

async function byWorlds({ judge, seed, seeds, acts, databaseUrls }: JudgeRequest): Promise<JudgeAnswer> {
  if (judge === 'windows') return sweepWindows(databaseUrls[0] ?? '', { seed, seeds });
  const { signal } = new AbortController();
  const options = { seed, seeds, acts, seconds: Infinity, maxFailures: 1, signal };
  const report = judge === 'store' ? await sweepPostgres(databaseUrls, options) : await sweep(options);
  const violations = report.failures.flatMap((world) => world.violations.map(({ text }) => text));
  return { seeds: report.seeds, violations: violations.slice(0, 5) };
}

/** In its short form, on Postgres alone. */
async function byDrill(drill: Drill, { seed }: JudgeRequest): Promise<JudgeAnswer> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const options = { form: 'short' as const, seed, seeds: null, only: null, backends: ['postgres' as const] };
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const { violations } = await runDrill(drill, 'postgres', options, stop.signal, log);
  return { seeds: 1, violations: violations.slice(0, 5) };
}
