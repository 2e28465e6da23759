/** How much of what a long task sends is read from the provider's cache, also when its worker dies in the middle. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scenario } from '@bullpen/model-sim';
import { submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import { startStack, type Stack } from '../lab/stack.js';
import { until } from '../lab/until.js';
import { measure, type Measure } from '../report/measure.js';

const figure = 'cache';
const TURNS = 50;
/** Reads in one answer: now and then more than the provider's cache looks back by itself. */
const READS = [1, 3, 2, 12, 1];
const LONGEST_MS = 300_000;

export async function measureCache(lab: Lab): Promise<Measure[]> {
  const folder = await folderOf(lab);
  lab.say(`cache: a task of ${TURNS} turns, and one whose worker is killed`);
  return [
    shareOf('of 50 turns', await share(lab, folder, false)),
    shareOf('of 50 turns, taken over after a kill -9 in the middle', await share(lab, folder, true)),
  ];
}

function shareOf(task: string, value: number): Measure {
  return measure({
    figure,
    what: `input read from the provider's cache, a task ${task}`,
    value: value * 100,
    unit: '%',
    goal: { of: 'value', atLeast: 90 },
    note: 'The simulator keeps the cache by the rules of the provider: prefixes, least sizes, twenty blocks of look-back, expiry.',
  });
}

async function folderOf(lab: Lab): Promise<string> {
  const folder = join(lab.folder, 'read-files');
  await mkdir(folder);
  for (let at = 0; at < TURNS * Math.max(...READS); at += 1)
    await writeFile(join(folder, `f${at}.ts`), `export const n${at} = ${at};\n`.repeat(20));
  return folder;
}

/** No file is read twice. */
const scenario: Scenario = {
  name: figure,
  agents: {},
  default: ({ turnIndex }) => {
    if (turnIndex >= TURNS) return { text: 'Done.' };
    const calls = Array.from({ length: READS[turnIndex % READS.length] ?? 1 }, (_, index) => ({
      name: 'read_file',
      input: { path: `f${turnIndex * Math.max(...READS) + index}.ts` },
    }));
    return { text: 'Reading on.', toolCalls: calls };
  },
};

async function share(lab: Lab, folder: string, crash: boolean): Promise<number> {
  const settings = { LEASE_MS: '2000', RENEW_MS: '500' };
  const stack = await startStack(lab, { backend: 'postgres', workers: 2, settings, scenario, speed: 1 });
  const client = submitter(stack.url, stack.key, 1);
  try {
    const workspace = { kind: 'path', path: folder };
    const id = await client.submit({ agent: 'general', prompt: 'Read all.', workspace });
    if (crash) await killInTheMiddle(stack, id);
    const { state, read, all, epoch } = await until('the task to end', LONGEST_MS, () => endOf(stack, id));
    if (state !== 'completed') throw new Error(`the task is ${state}`);
    if (crash && epoch < 2) throw new Error('the task was not taken over');
    return read / all;
  } finally {
    client.close();
    await stack.stop();
  }
}

async function killInTheMiddle(stack: Stack, id: string): Promise<void> {
  const pid = await until('half of the turns', LONGEST_MS, async () => {
    const { rows } = await stack.database.pool.query<{ pid: number }>(
      `SELECT w.pid FROM tasks t JOIN workers w ON w.id = t.worker_id WHERE t.id = $1 AND t.turns >= $2`,
      [id, TURNS / 2],
    );
    return rows[0]?.pid ?? null;
  });
  await stack.workers.find((worker) => worker.pid === pid)?.kill();
}

async function endOf({ database }: Stack, id: string) {
  const { rows } = await database.pool.query<{ state: string; read: number; all: number; epoch: number }>(
    `SELECT state::text, epoch, cache_read_tokens::float8 AS read,
       (input_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens)::float8 AS all
     FROM tasks WHERE id = $1 AND ended_at IS NOT NULL`,
    [id],
  );
  return rows[0] ?? null;
}
