/** What grows must not cost: lists, idleness and steps on a database with a long life. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fillLongLife, looksOf } from '@bullpen/testing/harness';
import { cpuTimeMs } from '../lab/cpu-time.js';
import type { Database } from '../lab/database.js';
import type { Lab } from '../lab/lab.js';
import { rest } from '../lab/rest.js';
import { serverCpuMs } from '../lab/server-cpu.js';
import { startStack, type Stack } from '../lab/stack.js';
import { askAgain, timeLooks } from '../lab/timed-looks.js';
import { measure, type Measure } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';
import { runTurns, STEPS_PER_TURN, takenFrom } from './step.js';

const figure = 'scale';
const TURNS = 50;

/** A hundred thousand tasks, a sixth of which wait, and three million events; `--quick`: a tenth of that. */
export async function measureScale(lab: Lab): Promise<Measure[]> {
  const tasks = lab.quick ? 10_000 : 100_000;
  const database = await lab.database(1);
  try {
    await fillLongLife(database.pool, tasks, (done) => lab.say(`scale: ${done} of ${tasks} tasks are made`));
    const asked = await withStack(lab, database, async (stack) => [
      ...(await measureLooks(lab, stack, tasks)),
      ...(await measureIdleness(lab, stack)),
    ]);
    return [...asked, ...(await measureSteps(lab, database))];
  } finally {
    await database.drop();
  }
}

async function withStack<T>(lab: Lab, database: Database, use: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await startStack(lab, { backend: 'postgres', workers: 1, database });
  try {
    return await use(stack);
  } finally {
    await stack.stop();
  }
}

async function measureLooks(lab: Lab, stack: Stack, tasks: number): Promise<Measure[]> {
  lab.say('scale: every list, with every filter');
  const times = lab.quick ? 5 : 9;
  const first = await timeLooks(stack, looksOf(tasks), times);
  const all = first.flatMap(({ samples }) => samples);
  const looks = await askAgain(stack, first, { slowest: 30, times });
  const [slowest] = looks;
  if (slowest === undefined) throw new Error('There are no lists');
  const line = { figure, unit: 'ms', goal: { of: 'value', atMost: 50 } } as const;
  return [
    measure({
      ...line,
      what: `slowest of ${looks.length} lists and pages, by its median: ${slowest.path}`,
      value: slowest.medianMs,
      note: `HTTP, each in turn; the slowest thirty in three rounds, of which the lowest median counts. The next slowest: ${looks
        .slice(1, 6)
        .map(({ path, medianMs }) => `${path} ${medianMs.toFixed(0)} ms`)
        .join('; ')}.`,
    }),
    measure({ ...line, what: 'p95 of all requests for lists and pages', value: percentile(all, 0.95) }),
    measure({
      figure,
      what: 'median of all requests for lists and pages',
      value: percentile(all, 0.5),
      unit: 'ms',
    }),
  ];
}

/** CPU of everything while nobody asks for anything and nothing is due. */
async function measureIdleness(lab: Lab, stack: Stack): Promise<Measure[]> {
  const seconds = lab.quick ? 15 : 60;
  lab.say(`scale: ${seconds} s with nothing to do`);
  await rest(lab);
  const before = await cpuOf(stack);
  const start = performance.now();
  await sleep(seconds * 1_000);
  const after = await cpuOf(stack);
  if (before === null || after === null) return [];
  const percentOf = (part: keyof typeof before) =>
    ((after[part] - before[part]) / (performance.now() - start)) * 100;
  const goal = { of: 'value', atMost: 2 } as const;
  return [
    measure({
      figure,
      what: 'Postgres while nothing is due',
      value: percentOf('server'),
      unit: '% of a core',
      goal,
    }),
    measure({
      figure,
      what: 'gateway and leading worker while nothing is due',
      value: percentOf('processes'),
      unit: '% of a core',
      goal,
    }),
  ];
}

async function cpuOf({
  database,
  gateway,
  workers,
}: Stack): Promise<{ server: number; processes: number } | null> {
  const server = await serverCpuMs(database.pool);
  const processes = [gateway, ...workers].map(({ pid }) => cpuTimeMs(pid) ?? 0);
  return server === null ? null : { server, processes: processes.reduce((sum, one) => sum + one, 0) };
}

/** A step there beside one on an empty database, in turns. */
async function measureSteps(lab: Lab, large: Database): Promise<Measure[]> {
  const rounds = lab.quick ? 5 : 11;
  const empty = await lab.database(1);
  try {
    const samples = {
      ms: [] as number[],
      cpu: [] as number[],
      msEmpty: [] as number[],
      cpuEmpty: [] as number[],
    };
    // The first round is left out: it warms up.
    for (let round = 0; round <= rounds; round += 1) {
      lab.say(`scale: steps, round ${round} of ${rounds}`);
      const one = await stepOn(empty);
      const other = await stepOn(large);
      if (round === 0) continue;
      samples.msEmpty.push(one.ms);
      samples.cpuEmpty.push(one.cpuMs);
      samples.ms.push(other.ms);
      samples.cpu.push(other.cpuMs);
    }
    const goal = { of: 'ratio', atMost: 1.1 } as const;
    const beside = (values: readonly number[]) => ({ name: 'an empty database', value: median(values) });
    return [
      measure({
        figure,
        what: 'durable step, serial',
        value: median(samples.ms),
        unit: 'ms',
        peer: beside(samples.msEmpty),
        goal,
      }),
      measure({
        figure,
        what: 'CPU of Postgres for a step',
        value: median(samples.cpu),
        unit: 'ms',
        peer: beside(samples.cpuEmpty),
        goal,
      }),
    ];
  } finally {
    await empty.drop();
  }
}

async function stepOn({ pool }: Database): Promise<{ ms: number; cpuMs: number }> {
  let ms = 0;
  const taken = await takenFrom(pool, async () => {
    ms = await runTurns(pool, TURNS);
  });
  if (taken === null) throw new Error('This system does not tell what a process of Postgres takes');
  return { ms: ms / STEPS_PER_TURN, cpuMs: taken.cpuMs / TURNS / STEPS_PER_TURN };
}
