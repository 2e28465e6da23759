/** One parent, many children: from the submit of the parent to its end, beside a BullMQ flow of the same size on the same backend. */
import type { QueueConnection } from '@bullpen/queue';
import type { Database } from '../lab/database.js';
import { familyModel, FAMILY_TOOLS, LEAD } from '../lab/family.js';
import { startInProcessWorker } from '../lab/in-process-worker.js';
import type { Lab } from '../lab/lab.js';
import { createTask } from '../lab/loop.js';
import { until } from '../lab/until.js';
import { openRawQueue } from '../peers/raw-bullmq.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { measure, type Backend, type Measure } from '../report/measure.js';

const figure = 'fan-out';
const SLOTS = 16;
const LIMIT_MS = 300_000;
/** Children that are kept from ending until their parent waits. */
const HELD = 10;

/** The time in ms from the submit of a parent to its end, for 10, 100 and (in a full run) 1,000 children. */
export async function measureFanOut(lab: Lab): Promise<Measure[]> {
  const sizes = lab.quick ? [10, 100] : [10, 100, 1_000];
  const all: Measure[] = [];
  for (const backend of lab.backends) {
    await onDatabase(lab, backend, (database, connection) => family(database, connection, 10)); // Warm.
    const woken: number[] = [];
    for (const size of sizes) {
      lab.say(`fan-out on ${backend}: 1 -> ${size}`);
      const { measures, wakes } = await withRivals(lab, ['dbos'], (rivals) =>
        fanOut(lab, backend, size, rivals),
      );
      all.push(...measures);
      woken.push(wakes);
    }
    const { held, wakes } = await onDatabase(lab, backend, waitingParent);
    all.push(
      measure({
        figure,
        backend,
        what: `wakes of a parent by its children, most of ${sizes.join(', ')}`,
        value: Math.max(...woken),
        unit: 'wakes',
        goal: { of: 'value', atMost: 1 },
        note: 'no wake at all where every child had ended before the parent came to wait.',
      }),
      measure({
        figure,
        backend,
        what: `slots that a parent holds while it waits for ${HELD} children`,
        value: held,
        unit: 'slots',
        goal: { of: 'value', atMost: 0 },
      }),
      measure({
        figure,
        backend,
        what: 'wakes of that parent, its children ending all at once',
        value: wakes,
        unit: 'wakes',
        goal: { of: 'value', exactly: 1 },
      }),
    );
  }
  return all;
}

async function fanOut(
  lab: Lab,
  backend: Backend,
  children: number,
  rivals: Rivals,
): Promise<{ measures: Measure[]; wakes: number }> {
  await rivals.warmUp('family', 10);
  return onDatabase(lab, backend, async (database, connection) => {
    const raw = await openRawQueue(connection, SLOTS);
    const rawMs = await raw.flow(children).finally(() => raw.close());
    const { durationMs, wakes } = await family(database, connection, children);
    await rivals.sample('family', children);
    const child = {
      figure,
      backend,
      what: `1 -> ${children} children and back, per child`,
      value: durationMs / children,
      unit: 'ms',
    };
    // Where the start and end of the parent itself weigh little.
    const judged = children >= 1_000;
    const measures = [
      ...rivals.beside('family', ([ms = 0]) => ms / children, child, {
        ...(judged ? { dbos: { of: 'ratio', atMost: 1 } } : {}),
      }),
      measure({
        ...child,
        peer: {
          name: 'raw BullMQ flow',
          value: rawMs / children,
          unequal: 'a child is one empty job, and nothing but jobs is stored.',
        },
        ...(judged ? { goal: { of: 'value', atMost: 8 } } : {}),
        note:
          'each child is stored by its parent, admitted, claimed, asks the model once and ends. ' +
          `One worker of ${SLOTS} slots in the bench's process, a model that answers at once.`,
      }),
    ];
    return { measures, wakes };
  });
}

async function onDatabase<T>(
  lab: Lab,
  backend: Backend,
  work: (database: Database, connection: QueueConnection) => Promise<T>,
): Promise<T> {
  const database = await lab.database(SLOTS + 4);
  try {
    return await work(database, lab.connection(backend, database));
  } finally {
    await database.drop();
  }
}

/** Runs one family to its end, with every child completed. */
async function family(
  database: Database,
  connection: QueueConnection,
  children: number,
): Promise<{ durationMs: number; wakes: number }> {
  const model = () => familyModel(children);
  const worker = await startInProcessWorker({
    database,
    connection,
    slots: SLOTS,
    model,
    tools: FAMILY_TOOLS,
  });
  try {
    const start = performance.now();
    const parent = await createTask(database.pool, LEAD, worker.committed);
    const wake = await until(`the end of ${parent}`, LIMIT_MS, () => wakeOfEnded(database, parent));
    const durationMs = performance.now() - start;
    const { rows } = await database.pool.query<{ ended: number }>(
      `SELECT count(*)::int AS ended FROM tasks WHERE parent_id = $1 AND state = 'completed'`,
      [parent],
    );
    if (rows[0]?.ended !== children) throw new Error(`${rows[0]?.ended} of ${children} children completed`);
    return { durationMs, wakes: wake - 1 };
  } finally {
    await worker.close();
  }
}

/** The wake number of a task that has completed; null while it runs. Throws when it failed. */
async function wakeOfEnded(database: Database, taskId: string): Promise<number | null> {
  const { rows } = await database.pool.query<{ state: string; wake: number; failure: unknown }>(
    'SELECT state, wake, failure FROM tasks WHERE id = $1',
    [taskId],
  );
  const [task] = rows;
  if (task?.state === 'failed') throw new Error(`${taskId} failed: ${JSON.stringify(task.failure)}`);
  return task?.state === 'completed' ? task.wake : null;
}

/** What the worker runs while a parent waits for children that are at it, without those; and how often they wake it then. */
async function waitingParent(
  database: Database,
  connection: QueueConnection,
): Promise<{ held: number; wakes: number }> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let atIt = 0;
  const child = () => {
    atIt += 1;
    return held;
  };
  const model = () => familyModel(HELD, child);
  const worker = await startInProcessWorker({
    database,
    connection,
    slots: SLOTS,
    model,
    tools: FAMILY_TOOLS,
  });
  try {
    const parent = await createTask(database.pool, LEAD, worker.committed);
    await until('the parent to wait and its children to run', LIMIT_MS, async () => {
      const { rows } = await database.pool.query<{ state: string }>('SELECT state FROM tasks WHERE id = $1', [
        parent,
      ]);
      return atIt === HELD && rows[0]?.state === 'waiting' ? true : null;
    });
    // The parent's run ends right after its commit, which is what was just seen.
    const running = await until('the run of the parent to end', 2_000, () =>
      Promise.resolve(worker.running() === HELD ? HELD : null),
    ).catch(() => worker.running());
    release();
    const wake = await until(`the end of ${parent}`, LIMIT_MS, () => wakeOfEnded(database, parent));
    return { held: running - HELD, wakes: wake - 1 };
  } finally {
    release();
    await worker.close();
  }
}
