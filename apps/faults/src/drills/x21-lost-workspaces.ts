import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defineDrill } from '../stack/define-drill.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled, worker } from '../stack/workload.js';

/** Long enough that none of them ends before its workspace is gone. */
const THINK_MS = 20_000;

export const lostWorkspaces = defineDrill({
  id: 'X21',
  title: 'workspaces are deleted under running tasks: they are made anew, and no other task is harmed',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { uncertain: 0 },
  act: async (stack, context) => {
    const plans = Array.from({ length: scaled(8, context.scale) }, (_, at) => worker(`lost${at}`));
    await stack.submitter.submitAll(plans.map((plan) => ({ ...plan, thinkMs: THINK_MS })));
    const ids = await begun(stack, plans.length);
    for (const id of ids) await rm(join(stack.home, 'workspaces', id), { recursive: true });
    context.log(`${ids.length} workspaces are gone`);
    // Whoever runs them goes too, at once, before a call finds nothing to work in; others take them over, and find nothing.
    await Promise.all(stack.workers.map((one) => one.replace()));
    await stack.submitter.submitAll(mixed(scaled(16, context.scale)));
  },
});

/** The tasks, once a run of each has its workspace. */
async function begun(stack: Stack, count: number): Promise<readonly string[]> {
  for (;;) {
    const { rows } = await stack.database.pool.query<{ id: string }>(
      'SELECT id FROM tasks WHERE workspace_path IS NOT NULL',
    );
    if (rows.length >= count) return rows.map(({ id }) => id);
    await stack.pause(50);
  }
}
