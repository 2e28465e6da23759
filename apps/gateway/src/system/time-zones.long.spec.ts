/** Whatever zones a database and its gateways live in, all of them tell the same instants, and days are days of UTC. */
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TaskView, Timeline, UsageReport } from '@bullpen/contracts';
import { createPool } from '@bullpen/store';
import { startProcess, testDatabase, type TestDatabase, type TestProcess } from '@bullpen/testing';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let database: TestDatabase;
let home: string;
let gateways: TestProcess[] = [];
beforeAll(async () => {
  [database, home] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'bullpen-zones-'))]);
  const pool = createPool({ databaseUrl: database.url });
  await pool.query(
    `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET timezone TO 'Asia/Seoul'`,
  );
  await pool.end();
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

type Get = (path: string, body?: object) => Promise<unknown>;
async function gatewayIn(zone: string): Promise<Get> {
  const gateway = startProcess(MAIN, {
    name: `gateway in ${zone}`,
    env: {
      ...{ TZ: zone, DATABASE_URL: database.url, REDIS_URL: '', BULLPEN_HOME: home, PORT: '0' },
      MODEL_SIMULATED: '1',
    },
  });
  gateways = [...gateways, gateway];
  const [, port] = await gateway.waitForOutput(/"port":(\d+)/, 60_000);
  return async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${readFileSync(join(home, 'key'), 'utf8').trim()}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    expect([path, response.ok, answer]).toEqual([path, true, answer]);
    return answer;
  };
}

it('are the same instants and days in Lima and in UTC, with a database in Seoul', async () => {
  const lima = await gatewayIn('America/Lima');
  const started = Date.now();
  const times = { runAt: '2031-07-01T00:30:00+09:00', deadlineAt: '2031-07-02T00:00:00Z' };
  const task = TaskView.parse(await lima('/v1/tasks', { prompt: 'When?', ...times }));
  expect(Math.abs(Date.parse(task.createdAt) - started)).toBeLessThan(60_000);
  expect([task.runAt, task.deadlineAt]).toEqual(['2031-06-30T15:30:00.000Z', '2031-07-02T00:00:00.000Z']);

  const pool = createPool({ databaseUrl: database.url });
  const { rows } = await pool.query<{ zone: string }>(
    `SELECT reset_val AS zone FROM pg_settings WHERE name = 'TimeZone'`,
  );
  expect(rows[0]?.zone).toBe('Asia/Seoul');
  // Half an hour before midnight of UTC, and half an hour after: in Seoul and in Lima these are one day.
  for (const [call, at] of [
    ['mcall_1', '2026-03-01T23:30:00Z'],
    ['mcall_2', '2026-03-02T00:30:00Z'],
  ])
    await pool.query(
      `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
         cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd, at)
       VALUES ($1, $2, $2, 'default', 'general', 'm', 1, 1, 0, 0, 0, 1000000000, $3)`,
      [call, task.id, at],
    );
  await pool.query(
    `INSERT INTO usage_archive (tenant_id, day, agent, model, simulated, calls, unpriced_calls, input_tokens, output_tokens, cache_read_tokens,
       cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd)
     VALUES ('default', '2026-02-27', 'general', 'm', false, 1, 0, 1, 1, 0, 0, 0, 1000000000)`,
  );
  await pool.end();

  const utc = await gatewayIn('UTC');
  const days = async (get: Get, query = ''): Promise<string[]> =>
    UsageReport.parse(await get(`/v1/usage?groupBy=day${query}`)).data.map(({ key }) => key);
  const march = '&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';
  for (const get of [lima, utc]) {
    expect(await days(get)).toEqual(['2026-02-27', '2026-03-01', '2026-03-02']);
    expect(await days(get, march)).toEqual(['2026-03-01']);
    expect(await days(get, '&to=2026-02-27T12:00:00%2B09:00')).toEqual(['2026-02-27']);
    const shown = TaskView.parse(await get(`/v1/tasks/${task.id}`));
    const { tasks } = Timeline.parse(await get(`/v1/tasks/${task.id}/timeline`));
    const begun = tasks[0]?.spans[0]?.from ?? '';
    expect([shown.createdAt, shown.runAt, begun]).toEqual([task.createdAt, task.runAt, task.createdAt]);
    const after = encodeURIComponent(new Date(started - 60_000).toISOString());
    expect(await get(`/v1/tasks?createdAfter=${after}`)).toMatchObject({ data: [{ id: task.id }] });
    expect(await get(`/v1/tasks?createdBefore=${after}`)).toMatchObject({ data: [] });
  }
});
