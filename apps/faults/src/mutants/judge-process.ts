/** Judges the product that it finds itself in: a copy with a bug planted, or without one. */
import { sweepPostgres } from '../store-sweep/sweep-postgres.js';
import { sweep } from '../sweep/sweep.js';
import type { JudgeAnswer, JudgeRequest } from './judge.js';

const request = JSON.parse(process.argv[2] ?? '') as JudgeRequest;
const { seed, seeds, databaseUrls } = request;
const options = { seed, seeds, seconds: Infinity, maxFailures: 1, signal: new AbortController().signal };
const report = request.judge === 'store' ? await sweepPostgres(databaseUrls, options) : await sweep(options);
const answer: JudgeAnswer = {
  seeds: report.seeds,
  violations: report.failures.flatMap(({ violations }) => violations.map(({ text }) => text)).slice(0, 5),
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit(answer.violations.length === 0 ? 0 : 1);
