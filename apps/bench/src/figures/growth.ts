/** Whether a long history makes a turn slower, and what it costs to go on from one. */
import { runTask, type Lease } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { PostgresTaskStore } from '@bullpen/store';
import type { Pool } from '../lab/database.js';
import type { Lab } from '../lab/lab.js';
import { benchAgent, createTask, loopDeps, noopTurns, scriptedModel } from '../lab/loop.js';
import { prepareFencedAppend, serialAppends } from '../peers/fenced-append.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { measure, type Measure } from '../report/measure.js';
import { gaps, median } from '../report/statistics.js';

/** Turns on each side of the one that is asked for. */
const WINDOW = 10;
/** Kills of each peer. */
const RESTARTS = 3;

/** Cost of the last turns over that of the tenth: medians of windows, in several tasks. */
export async function measureGrowth(lab: Lab): Promise<Measure[]> {
  return withRivals(lab, ['langgraph'], (rivals) => growth(lab, rivals));
}

async function growth(lab: Lab, rivals: Rivals): Promise<Measure[]> {
  const turns = lab.quick ? 300 : 1_000;
  const rounds = lab.quick ? 1 : 3;
  const early: number[] = [];
  const late: number[] = [];
  const cpuEarly: number[] = [];
  const cpuLate: number[] = [];
  await withPool(lab, async (pool) => {
    // The first turns of a process are slow while its code is compiled, and would flatter the ratio.
    await timesOfTurns(pool, 100);
    for (let round = 1; round <= rounds; round += 1) {
      lab.say(`growth: ${turns} turns, round ${round} of ${rounds}`);
      const { wall, cpu } = await timesOfTurns(pool, turns + 1);
      early.push(...wall.slice(10 - WINDOW, 10 + WINDOW));
      late.push(...wall.slice(turns - 2 * WINDOW, turns));
      cpuEarly.push(...cpu.slice(10 - WINDOW, 10 + WINDOW));
      cpuLate.push(...cpu.slice(turns - 2 * WINDOW, turns));
      await rivals.sample('growth', turns, 10, 2 * WINDOW);
    }
  });
  return [
    measure({
      figure: 'growth',
      what: `turn ${turns} over turn 10`,
      value: median(late),
      unit: 'ms',
      peer: { name: 'turn 10', value: median(early) },
      goal: { of: 'ratio', atMost: 1.2 },
      note: `medians of ${2 * WINDOW} turns around each, over ${rounds} task(s); the model answers at once and does not look at the history.`,
    }),
    ...rivals.beside('growth', median, {
      figure: 'growth',
      what: `turn ${turns} over turn 10, as a ratio`,
      value: median(late) / median(early),
      unit: 'x',
    }),
    measure({
      figure: 'growth',
      what: `CPU of this process, turn ${turns} over turn 10`,
      value: mean(cpuLate),
      unit: 'ms',
      peer: { name: 'turn 10', value: mean(cpuEarly) },
    }),
  ];
}

/** From the claim to the first request, for a task with a long history: what a worker does that takes over from a lost one. */
export async function measureResume(lab: Lab): Promise<Measure[]> {
  return withRivals(lab, ['dbos', 'langgraph'], (rivals) => resume(lab, rivals));
}

async function resume(lab: Lab, rivals: Rivals): Promise<Measure[]> {
  const turns = lab.quick ? 150 : 500;
  const resumes = lab.quick ? 5 : 15;
  const samples: number[] = [];
  const floor: number[] = [];
  await withPool(lab, async (pool) => {
    lab.say(`resume: a task of ${turns} turns`);
    const taskId = await createTask(pool, benchAgent(['noop']));
    await goOn(pool, taskId, 1, turns);
    for (let wake = 2; wake < resumes + 2; wake += 1) {
      samples.push(await goOn(pool, taskId, wake, 0));
      floor.push((await serialAppends(pool, 20)) * 2);
    }
  });
  await rivals.warmUp('stopAt', 2 * turns);
  for (let n = 0; n < RESTARTS; n += 1) {
    await rivals.restart();
    await rivals.sample('resume');
  }
  const resumed = {
    figure: 'resume',
    what: `claim to first request, ${2 * turns} steps stored`,
    value: median(samples),
    unit: 'ms',
  };
  return [
    ...rivals.beside('resume', median, resumed),
    measure({
      ...resumed,
      peer: { name: 'two bare fenced appends', value: median(floor) },
      goal: { of: 'value', atMost: 50 },
      note: 'claim, load, proof of the whole history and the commit of the first intent; no lease time, no queue.',
    }),
  ];
}

async function withPool(lab: Lab, work: (pool: Pool) => Promise<void>): Promise<void> {
  const database = await lab.database(2);
  try {
    await prepareFencedAppend(database.pool);
    await work(database.pool);
  } finally {
    await database.drop();
  }
}

/** Wall and CPU time of each turn of one task, in ms. */
async function timesOfTurns(pool: Pool, turns: number): Promise<{ wall: number[]; cpu: number[] }> {
  const taskId = await createTask(pool, benchAgent(['noop']));
  const store = new PostgresTaskStore({ pool, leaseMs: 600_000, newId });
  const lease = await claim(store, taskId, 1);
  const walls: number[] = [];
  const cpus: number[] = [];
  const note = () => {
    const { user, system } = process.cpuUsage();
    walls.push(performance.now());
    cpus.push((user + system) / 1_000);
  };
  await runTask(lease, loopDeps(store, scriptedModel(noopTurns(turns), note)), new AbortController().signal);
  return { wall: gaps(walls), cpu: gaps(cpus) };
}

/** Claims the task, lets it run so many turns, and stops it in the middle of the next request. Gives ms to the first request. */
async function goOn(pool: Pool, taskId: string, wake: number, turns: number): Promise<number> {
  const store = new PostgresTaskStore({ pool, leaseMs: 600_000, newId });
  const stop = new AbortController();
  const start = performance.now();
  let first: number | null = null;
  let asked = 0;
  const onAsked = () => {
    first ??= performance.now() - start;
    asked += 1;
    if (asked > turns) stop.abort();
  };
  const lease = await claim(store, taskId, wake);
  const script = scriptedModel((n) => ({ calls: [{ name: 'noop', input: { n } }] }), onAsked);
  const end = await runTask(lease, loopDeps(store, script), stop.signal);
  if (end.kind !== 'yielded' || first === null)
    throw new Error(`${taskId} should have been given back, but: ${JSON.stringify(end)}`);
  return first;
}

async function claim(store: PostgresTaskStore, taskId: string, wake: number): Promise<Lease> {
  const lease = await store.claim(taskId, wake, 'worker_bench');
  if (lease === null) throw new Error(`${taskId} cannot be claimed with wake ${wake}`);
  return lease;
}

function mean(samples: readonly number[]): number {
  return samples.reduce((sum, one) => sum + one, 0) / samples.length;
}
