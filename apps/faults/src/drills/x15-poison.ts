import { defineDrill } from '../stack/define-drill.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

/** It never gets its first answer: whoever runs it dies before. */
const POISON = { key: 'poison', steps: [], thinkMs: 3_600_000 } as const;

/** A worker that it did not have to itself accuses it by half (docs/adr/0007). */
const MOST_DEATHS = 6;

export const poison = defineDrill({
  id: 'X15',
  title: 'a task takes every worker down that runs it: it is given up after a few, and the others end well',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { end: ({ plan }) => (plan.key === 'poison' ? ['failed'] : ['completed']) },
  act: async (stack, context) => {
    const { id } = await stack.submitter.submit(POISON);
    await stack.submitter.submitAll(mixed(scaled(30, context.scale)));
    let deaths = 0;
    for (;;) {
      const { state, cause, pid, calls } = await whoRuns(stack, id);
      if (state === 'failed')
        return cause === 'poison' && deaths >= 3 && deaths <= MOST_DEATHS
          ? []
          : [`it ended ${cause} after ${deaths} deaths`];
      const victim = stack.workers.find((worker) => worker.pid === pid);
      // In its call, and not while a worker looks at it for the last time to give it up.
      if (state === 'running' && victim !== undefined && calls > deaths) {
        deaths += 1;
        context.log(`${victim.name} runs it, and dies`);
        await victim.replace();
      }
      await stack.pause(50);
    }
  },
});

interface Runner {
  readonly state: string;
  readonly cause: string | null;
  readonly pid: number | null;
  /** Model calls that were announced so far: one for each run. */
  readonly calls: number;
}

async function whoRuns({ database }: Stack, taskId: string): Promise<Runner> {
  const { rows } = await database.pool.query<Runner>(
    `SELECT t.state, t.stop_cause AS cause, w.pid, (SELECT count(*)::int FROM model_calls c WHERE c.task_id = t.id) AS calls
     FROM tasks t LEFT JOIN workers w ON w.id = t.worker_id WHERE t.id = $1`,
    [taskId],
  );
  return rows[0] ?? { state: 'lost', cause: null, pid: null, calls: 0 };
}
