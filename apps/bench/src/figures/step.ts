/** What one durable step costs, one task after the other and side by side, beside the bare fenced append. */
import { readFile } from 'node:fs/promises';
import { runTask } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { PostgresTaskStore } from '@bullpen/store';
import type { Pool } from '../lab/database.js';
import type { Lab } from '../lab/lab.js';
import { benchAgent, createTask, loopDeps, noopTurns, scriptedModel } from '../lab/loop.js';
import { parallelAppends, prepareFencedAppend, serialAppends } from '../peers/fenced-append.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { serialSameRows } from '../peers/same-rows.js';
import { measure, type Measure } from '../report/measure.js';
import { median } from '../report/statistics.js';

const figure = 'step';
/** A turn with one tool call is two durable steps: its answer with the call's intent, and its result with the next request's. */
export const STEPS_PER_TURN = 2;
const LANES = 20;
const FLOOR_LANES = 16;

/** Time and commits of a durable step, in one lane and in many, on a database of its own. */
export async function measureStep(lab: Lab): Promise<Measure[]> {
  const times = await withRivals(lab, ['dbos', 'langgraph'], (rivals) => measureTimes(lab, rivals));
  const rounds = lab.quick ? 4 : 10;
  return [...times, ...(await measureServer(lab, rounds, lab.quick ? 25 : 100))];
}

async function measureTimes(lab: Lab, rivals: Rivals): Promise<Measure[]> {
  const rounds = lab.quick ? 2 : 5;
  const serialTurns = lab.quick ? 50 : 200;
  const laneTurns = lab.quick ? 10 : 50;
  const database = await lab.database(LANES);
  try {
    const { pool } = database;
    await prepareFencedAppend(pool);
    await runTurns(pool, 5);
    await serialAppends(pool, 50);
    await runSameRows(pool, 5);
    await rivals.warmUp('serialSteps', 50);
    const serial: number[] = [];
    const serialFloor: number[] = [];
    const sameRows: number[] = [];
    const parallel: number[] = [];
    const parallelFloor: number[] = [];
    // Interleaved, so that a disk that slows down slows both.
    for (let round = 1; round <= rounds; round += 1) {
      lab.say(`durable steps, round ${round} of ${rounds}`);
      serialFloor.push(await serialAppends(pool, serialTurns));
      sameRows.push(await runSameRows(pool, serialTurns));
      serial.push(await runTurns(pool, serialTurns));
      await rivals.sample('serialSteps', serialTurns);
      parallelFloor.push(await parallelAppends(pool, FLOOR_LANES, laneTurns * 2));
      parallel.push(await runLanes(pool, laneTurns));
      await rivals.sample('parallelSteps', LANES, laneTurns * STEPS_PER_TURN);
    }
    const samples = { serial, serialFloor, sameRows, parallel, parallelFloor };
    return lines(rounds * serialTurns, laneTurns, samples, rivals);
  } finally {
    await database.drop();
  }
}

/** What a step takes from the server: unlike times, that depends little on what else the machine does. */
async function measureServer(lab: Lab, rounds: number, turns: number): Promise<Measure[]> {
  const database = await lab.database(1);
  try {
    const { pool } = database;
    await prepareFencedAppend(pool);
    const samples = {
      cpu: [] as number[],
      cpuFloor: [] as number[],
      log: [] as number[],
      logFloor: [] as number[],
    };
    // The first round warms the connection's statements up and is left out.
    for (let round = 0; round <= rounds; round += 1) {
      const floor = await takenFrom(pool, async () => void (await serialAppends(pool, turns)));
      const step = await takenFrom(pool, async () => void (await runTurns(pool, turns)));
      if (round === 0 || floor === null || step === null) continue;
      samples.cpuFloor.push(floor.cpuMs / turns);
      samples.logFloor.push(floor.logBytes / turns / 1_024);
      samples.cpu.push(step.cpuMs / turns / STEPS_PER_TURN);
      samples.log.push(step.logBytes / turns / STEPS_PER_TURN / 1_024);
    }
    if (samples.cpu.length === 0) return [];
    const beside = (floor: readonly number[]) => ({ name: 'bare fenced append', value: median(floor) });
    return [
      measure({
        figure,
        what: 'CPU of Postgres for a step',
        value: median(samples.cpu),
        unit: 'ms',
        peer: beside(samples.cpuFloor),
      }),
      measure({
        figure,
        what: 'log written for a step',
        value: median(samples.log),
        unit: 'KiB',
        peer: beside(samples.logFloor),
      }),
    ];
  } finally {
    await database.drop();
  }
}

/** CPU time of the pool's only connection's process and log that was written meanwhile; null where the system does not tell. */
export async function takenFrom(
  pool: Pool,
  work: () => Promise<void>,
): Promise<{ cpuMs: number; logBytes: number } | null> {
  const before = await serverState(pool);
  await work();
  const after = await serverState(pool);
  if (before === null || after === null) return null;
  return { cpuMs: (after.cpuNs - before.cpuNs) / 1e6, logBytes: after.log - before.log };
}

async function serverState(pool: Pool): Promise<{ cpuNs: number; log: number } | null> {
  const { rows } = await pool.query<{ pid: number; log: number }>(
    `SELECT pg_backend_pid() AS pid, (pg_current_wal_insert_lsn() - '0/0')::float8 AS log`,
  );
  const row = rows[0];
  if (!row) return null;
  // Only Linux has this file, and only for servers on this machine.
  const stat = await readFile(`/proc/${row.pid}/schedstat`, 'utf8').catch(() => null);
  return stat === null ? null : { cpuNs: Number(stat.split(' ')[0]), log: row.log };
}

interface Samples {
  readonly serial: readonly number[];
  readonly serialFloor: readonly number[];
  readonly sameRows: readonly number[];
  readonly parallel: readonly number[];
  readonly parallelFloor: readonly number[];
}

function lines(turns: number, laneTurns: number, samples: Samples, rivals: Rivals): Measure[] {
  const msPerTurn = median(samples.serial);
  const step = { figure, what: 'durable step, serial', value: msPerTurn / STEPS_PER_TURN, unit: 'ms' };
  const lanes = {
    figure,
    what: `durable steps, ${LANES} tasks x ${laneTurns * STEPS_PER_TURN} steps side by side`,
    value: median(samples.parallel),
    unit: 'steps/s',
  };
  return [
    measure({
      figure,
      what: `turn with one no-op tool, serial, ${turns} turns`,
      value: msPerTurn,
      unit: 'ms',
      note:
        `a turn with one tool call is ${STEPS_PER_TURN} steps, each one durable transaction and one round trip. ` +
        'The time is that of the whole loop: proof of the history, request, parsing, SQL.',
    }),
    ...rivals.beside('serialSteps', median, step, { dbos: { of: 'ratio', atMost: 1 } }),
    measure({
      ...step,
      peer: {
        name: 'bare fenced append',
        value: median(samples.serialFloor),
        unequal: 'the append stores one row; a step stores about four rows and changes four.',
      },
      goal: { of: 'ratio', atMost: 3 },
    }),
    measure({
      ...step,
      peer: {
        name: 'the same rows by hand-written SQL, fenced',
        value: median(samples.sameRows),
        unequal: 'one transaction of prepared statements, one a table; no loop around it.',
      },
      goal: { of: 'ratio', atMost: 1.8 },
    }),
    ...rivals.beside('parallelSteps', median, lanes, { dbos: { of: 'ratio', atLeast: 3 } }),
    measure({
      ...lanes,
      peer: {
        name: `bare fenced append, ${FLOOR_LANES} side by side`,
        value: median(samples.parallelFloor),
      },
    }),
  ];
}

/** The rows of so many turns, without the product. Gives ms a step. */
async function runSameRows(pool: Pool, turns: number): Promise<number> {
  return serialSameRows(pool, (await claimed(pool)).lease, turns);
}

function storeOf(pool: Pool): PostgresTaskStore {
  return new PostgresTaskStore({ pool, leaseMs: 600_000, newId });
}

async function claimed(pool: Pool, store = storeOf(pool)) {
  const taskId = await createTask(pool, benchAgent(['noop']));
  const lease = await store.claim(taskId, 1, 'worker_bench');
  if (lease === null) throw new Error(`${taskId} cannot be claimed`);
  return { taskId, store, lease };
}

/** One task of so many turns. Gives ms a turn. */
export async function runTurns(pool: Pool, turns: number): Promise<number> {
  const task = await claimed(pool);
  const start = performance.now();
  await toItsEnd(task, turns);
  return (performance.now() - start) / turns;
}

async function toItsEnd({ taskId, store, lease }: Awaited<ReturnType<typeof claimed>>, turns: number) {
  const deps = loopDeps(store, scriptedModel(noopTurns(turns)));
  const end = await runTask(lease, deps, new AbortController().signal);
  if (end.kind !== 'finished' || end.outcome.state !== 'completed')
    throw new Error(`${taskId} ended as ${JSON.stringify(end)}`);
}

/** Steps a second of all lanes together: tasks of one worker, which has one store. */
async function runLanes(pool: Pool, turns: number): Promise<number> {
  const store = storeOf(pool);
  const tasks = await Promise.all(Array.from({ length: LANES }, () => claimed(pool, store)));
  const start = performance.now();
  await Promise.all(tasks.map((task) => toItsEnd(task, turns)));
  return (LANES * turns * STEPS_PER_TURN) / ((performance.now() - start) / 1_000);
}
