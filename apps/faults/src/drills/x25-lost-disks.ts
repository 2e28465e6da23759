import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Checkpoints } from '@bullpen/checkpoints';
import { errorText } from '@bullpen/contracts';
import { PostgresPackStore } from '@bullpen/store';
import { ended, storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Plan } from '../stack/plan.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

const WRITES = 8;

/** Writes a file in each turn, and takes its time. */
const writer = (at: number): Plan => ({
  key: `w${at}`,
  steps: Array.from({ length: WRITES }, () => ({ do: 'write' }) as const),
  thinkMs: 12_000,
});

export const lostDisks = defineDrill({
  id: 'X25',
  title:
    'workers with folders of their own die with their disks, or come back with old copies: the work is whole',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  stack: { ownHomes: true },
  expect: { uncertain: 100 },
  act: async (stack, context) => {
    const count = scaled(16, context.scale);
    // All begin on the third worker, for as long as it is alone.
    await Promise.all([0, 1].map((at) => lose(stack, at)));
    await stack.submitter.submitAll(Array.from({ length: count }, (_, at) => writer(at)));
    await stored(stack, Math.min(count, stack.slots));
    await Promise.all([0, 1].map((at) => stack.worker(at).start()));
    await comeBack(stack);
    await stack.submitter.submitAll(mixed(scaled(8, context.scale)));
    let turn = 0;
    await storm(stack, context, 20 * context.scale, [500, 2_000], async () => {
      const at = turn++ % 2;
      await lose(stack, at);
      await stack.worker(at).start();
    });
    await stack.heal();
    await ended(stack);
    return incomplete(stack);
  },
});

/** So many workspaces have a checkpoint. */
async function stored(stack: Stack, count: number): Promise<void> {
  const query = 'SELECT FROM checkpoints GROUP BY workspace_id';
  while (((await stack.database.pool.query(query)).rowCount ?? 0) < count) await stack.pause(50);
}

/** It dies, and its disk with it. */
async function lose(stack: Stack, at: number): Promise<void> {
  await stack.worker(at).kill();
  await rm(stack.homeOf(at), { recursive: true, force: true });
}

/**
 * The third worker stands still until others have its tasks and have gone on with them. Then those are gone, and it gets the tasks back, whose
 * copies it still has, and goes on in its turn. (Had it died, its start would remove them.)
 */
async function comeBack(stack: Stack): Promise<void> {
  const third = stack.worker(2);
  third.freeze();
  const moved = await goneOn(stack, []);
  await Promise.all([0, 1].map((at) => lose(stack, at)));
  third.thaw();
  await goneOn(stack, moved);
  await Promise.all([0, 1].map((at) => stack.worker(at).start()));
}

interface Moved {
  readonly id: string;
  readonly epoch: number;
}

/**
 * Workspaces that were made anew, and changed twice since: the first change may be one that was made where they come from as well, and cut
 * off before it was stored. One of those that are named has to be among them, made anew once more. None when no
 * task goes on any more, which the verdict is about.
 */
async function goneOn(stack: Stack, before: readonly Moved[]): Promise<readonly Moved[]> {
  const { pool } = stack.database;
  for (;;) {
    const { rows } = await pool.query<Moved>(
      `SELECT w.id, w.epoch FROM workspaces w WHERE w.epoch > 1
       AND EXISTS (SELECT FROM checkpoints c JOIN checkpoints next ON next.parent_id = c.id
         WHERE c.workspace_id = w.id AND c.parent_id = w.rebuilt_from)`,
    );
    const again = rows.some(({ id, epoch }) => before.some((one) => one.id === id && one.epoch < epoch));
    if (rows.length > 0 && (again || before.length === 0)) return rows;
    if ((await pool.query('SELECT FROM tasks WHERE ended_at IS NULL')).rowCount === 0) return [];
    await stack.pause(50);
  }
}

/** The workspaces of writers that do not hold all of their files, as any machine would find them. */
async function incomplete(stack: Stack): Promise<readonly string[]> {
  const { rows } = await stack.database.pool.query<{ id: string; key: string; commit: string | null }>(
    `SELECT t.id, split_part(t.prompt, E'\\n', 1) AS key,
       (SELECT c.commit FROM checkpoints c WHERE c.workspace_id = t.id ORDER BY c.number DESC LIMIT 1) AS commit
     FROM tasks t WHERE t.prompt LIKE 'w%' AND t.parent_id IS NULL AND t.state = 'completed'`,
  );
  const found = await Promise.all(rows.map((row) => wrong(stack, row)));
  const moved = await stack.database.pool.query(`SELECT FROM ui_events WHERE type = 'workspace.rebuilt'`);
  stack.log(`${moved.rowCount} moves`);
  return [...found.flat(), ...(moved.rowCount === 0 ? ['no workspace ever moved'] : [])];
}

async function wrong(
  stack: Stack,
  { id, key, commit }: { readonly id: string; readonly key: string; readonly commit: string | null },
): Promise<readonly string[]> {
  if (commit === null) return [`${key} has no checkpoint`];
  const folder = await mkdtemp(join(stack.folder, 'elsewhere-'));
  const checkpoints = new Checkpoints({
    shadow: { folder: join(folder, 'shadow') },
    workspace: join(folder, 'none'),
    ...{ line: id, packs: new PostgresPackStore(stack.database.pool), coverage: {}, owner: null },
  });
  const made = join(folder, 'made');
  try {
    await checkpoints.rebuild(commit, made, stack.signal);
  } catch (error) {
    return [`${key} cannot be made anew: ${errorText(error)}`];
  }
  const names = await readdir(made);
  const expected = Array.from({ length: WRITES }, (_, at) => `${key}-${at}.txt`);
  const texts = await Promise.all(names.map((name) => readFile(join(made, name), 'utf8')));
  const right = names.every(
    (name, at) => texts[at] === `${key} was here at ${name.slice(key.length + 1, -4)}\n`,
  );
  return right && names.sort().join() === expected.sort().join()
    ? []
    : [`${key} has ${names.join(', ') || 'no files'} in place of ${WRITES}`];
}
