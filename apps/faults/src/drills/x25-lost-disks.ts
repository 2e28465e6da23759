import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Checkpoints } from '@bullpen/checkpoints';
import { PostgresPackStore } from '@bullpen/store';
import { setTimeout as sleep } from 'node:timers/promises';
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
  thinkMs: 8_000,
});

export const lostDisks = defineDrill({
  id: 'X25',
  title:
    'workers with folders of their own die with their disks, or sleep and come back with an old copy: the work is whole',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  stack: { ownHomes: true },
  expect: { uncertain: 100 },
  act: async (stack, context) => {
    const count = scaled(16, context.scale);
    await stack.submitter.submitAll(Array.from({ length: count }, (_, at) => writer(at)));
    await stack.submitter.submitAll(mixed(scaled(8, context.scale)));
    let turn = 0;
    await storm(stack, context, 25 * context.scale, [500, 2_000], async () => {
      const at = turn++ % 3;
      const worker = stack.worker(at);
      if (at === 2) {
        // Long enough for others to take over; then it finds its copies out of date.
        worker.freeze();
        await sleep(4_000, undefined, { signal: context.signal });
        return worker.thaw();
      }
      await worker.kill();
      await rm(stack.homeOf(at), { recursive: true, force: true });
      await worker.start();
    });
    await stack.heal();
    await ended(stack);
    return incomplete(stack);
  },
});

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
  await checkpoints.rebuild(commit, made, stack.signal);
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
