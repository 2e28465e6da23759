/** A spec that never ends, for the spec of runs that are killed: it says what it started, and by then somebody kills it. */
import { writeFileSync } from 'node:fs';
import { beforeAll, it } from '@jest/globals';
import { startProcess } from '../src/processes.js';
import { redisAvailable, testRedis } from '../src/redis.js';

const FOREVER = 'setInterval(() => undefined, 1_000)';

beforeAll(async () => {
  const child = startProcess('-e', { args: [FOREVER] });
  const redis = redisAvailable() ? await testRedis() : null;
  const report = process.env['HANGS_REPORT'] ?? '';
  writeFileSync(report, JSON.stringify({ self: process.pid, child: child.pid, redis: redis?.url ?? null }));
  if (process.env['HANGS_FAILS'] === 'yes') throw new Error('before any test, with nothing cleaned up');
});

it('never ends', () => new Promise(() => undefined), 600_000);
