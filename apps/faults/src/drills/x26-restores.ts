import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@bullpen/client';
import { errorText, type RestoreView } from '@bullpen/contracts';
import { ended, storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Plan } from '../stack/plan.js';
import type { Stack } from '../stack/stack.js';
import { scaled } from '../stack/workload.js';

const WRITES = 4;
/** So many that workers die between two of them. */
const BY_HAND = 150;

const writer = (at: number): Plan => ({
  key: `r${at}`,
  steps: Array.from({ length: WRITES }, () => ({ do: 'write' }) as const),
});

export const restores = defineDrill({
  id: 'X26',
  title: 'workers die while they restore files: each restore is whole in the end, and can be undone',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  expect: { uncertain: 100 },
  act: async (stack, context) => {
    const count = scaled(5, context.scale);
    const tasks = await stack.submitter.submitAll(Array.from({ length: count }, (_, at) => writer(at)));
    await ended(stack);
    const found: string[] = [];
    const work = Promise.all(
      tasks.map(async ({ id, plan }) => found.push(...(await thereAndBack(stack, id, plan.key)))),
    );
    // At once would be before anything has begun.
    await storm(stack, context, 40 * context.scale, [1_200, 3_000], () => stack.strike(), work);
    await work;
    return found;
  },
});

/** What no checkpoint holds is in the one that a restore takes first: to go there and back changes nothing. */
async function thereAndBack(stack: Stack, id: string, key: string): Promise<readonly string[]> {
  const folder = join(stack.home, 'workspaces', id);
  await mkdir(join(folder, 'by-hand'));
  for (let at = 0; at < BY_HAND; at += 1) await writeFile(join(folder, 'by-hand', `${at}`), `${key} ${at}\n`);
  const all = await listing(folder);
  const { rows } = await stack.database.pool.query<{ id: string; turn: number }>(
    'SELECT id, turn FROM checkpoints WHERE workspace_id = $1 ORDER BY number',
    [id],
  );
  const target = rows[Math.floor(rows.length / 2)];
  if (target === undefined) return [`${key} has no checkpoint`];
  const there = await restored(stack, id, target.id);
  if (typeof there === 'string') return [`${key} was not restored: ${there}`];
  const early = Array.from({ length: target.turn }, (_, at) => `${key}-${at}.txt`);
  const wrong = differences(`${key} after turn ${target.turn}`, early, await listing(folder));
  if (there.before === null) return [...wrong, `${key} cannot be brought back: nothing was stored before`];
  const back = await restored(stack, id, there.before);
  if (typeof back === 'string') return [...wrong, `${key} was not brought back: ${back}`];
  return [...wrong, ...differences(`${key} brought back`, all, await listing(folder))];
}

/** Asks until it is known how it ended; a text says what went wrong. */
async function restored(stack: Stack, id: string, checkpointId: string): Promise<RestoreView | string> {
  const { client } = stack.submitter;
  const body = { checkpointId, what: 'files', dryRun: false } as const;
  let restore: RestoreView;
  try {
    restore = await client.checkpoints.restore(id, body, { idempotencyKey: `${id}-${checkpointId}` });
    while (restore.state === 'pending') {
      await stack.pause(200);
      restore = await client.checkpoints.restored(restore.id);
    }
  } catch (error) {
    if (error instanceof ApiError) return errorText(error);
    throw error;
  }
  return restore.failure ?? restore;
}

async function listing(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function differences(what: string, expected: readonly string[], found: readonly string[]): readonly string[] {
  const [lacks, has] = [
    expected.filter((name) => !found.includes(name)),
    found.filter((name) => !expected.includes(name)),
  ];
  return [
    ...(lacks.length > 0 ? [`${what} lacks ${lacks.length} files: ${lacks.slice(0, 5).join(', ')}`] : []),
    ...(has.length > 0 ? [`${what} has ${has.length} files too many: ${has.slice(0, 5).join(', ')}`] : []),
  ];
}
