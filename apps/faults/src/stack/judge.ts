/** The verdict on a drill, over what clients were promised, what the provider billed, what commands did, and what the tables say. */
import { isTerminal, type TaskState } from '@bullpen/contracts';
import { checkInvariants } from '@bullpen/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../drill.js';
import { compareBills } from './bills.js';
import {
  bookedCalls,
  commandsOf,
  orphanedChildren,
  heldMoney,
  liveLeases,
  tasksOf,
  type TaskRow,
} from './books.js';
import { orphansIn } from './orphans.js';
import { wrongEffects } from './effects.js';
import { resultOf, type Plan } from './plan.js';
import type { Stack } from './stack.js';
import type { Accepted } from './submitter.js';

export interface Expectations {
  /** How a task of that plan may end. @defaultValue completed, with the result of its plan */
  readonly end?: (accepted: Accepted) => readonly TaskState[];
  /** What the output of a completed task of that plan holds. @defaultValue the result of its plan */
  readonly result?: (plan: Plan) => string;
  /** Processes that may end by themselves. @defaultValue none */
  readonly crashes?: RegExp;
  /**
   * A task that is hit by kill after kill without a step in between (three when it is alone in its worker, up to six else) counts as
   * poison, although it has done nothing: that is the product's rule, and in a storm it may happen. @defaultValue false
   */
  readonly bystandersPoisoned?: boolean;
  /** Answers that may be billed and be known only by an estimate. @defaultValue every slot of every killed worker */
  readonly uncertain?: number;
  /** How long after the last heal everything must have ended, in ms. @defaultValue 120,000 */
  readonly settleMs?: number;
}

const SETTLE_MS = 120_000;
const LOOK_MS = 250;
const REPORT_MS = 5_000;

/** Waits until every task has ended, and judges. To be called when all faults are healed. */
export async function judge(stack: Stack, expectations: Expectations): Promise<Tally> {
  const { accepted } = stack.submitter;
  await settle(stack, expectations.settleMs ?? SETTLE_MS);
  const violations = stack.crashes.filter((what) => expectations.crashes?.test(what) !== true);
  const tasks = await tasksOf(stack.database.pool);
  const known = new Map(tasks.map((task) => [task.id, task]));
  const lost = accepted.filter(({ id }) => !known.has(id));
  const stuck = tasks.filter((task) => !isTerminal(task.state));
  violations.push(
    ...lost.map(({ id, plan }) => `task ${id} (${plan.key}) was accepted and is gone`),
    ...stuck.map(({ id, title, state }) => `task ${id} (${title}) is ${state} and does not end`),
    ...accepted.flatMap((one) => wrongEnd(one, known.get(one.id), expectations)),
  );
  const doubled = [...effectsTwice(stack.effects()), ...rootsTwice(tasks)];
  const calls = await bookedCalls(stack.database.pool);
  const bills = compareBills(stack.sim.requests(), calls);
  const uncertainLimit = expectations.uncertain ?? stack.kills * stack.slots;
  if (bills.uncertain > uncertainLimit)
    violations.push(`${bills.uncertain} billed answers were lost, and the faults explain ${uncertainLimit}`);
  const effects = wrongEffects(accepted, tasks, await commandsOf(stack.database.pool), stack.effects());
  violations.push(...doubled, ...effects, ...bills.paidTwice, ...bills.violations, ...(await restOf(stack)));
  const { kills, restarts } = stack;
  stack.log(
    `judged ${tasks.length} tasks, ${calls.length} model calls, ${stack.effects().length} effects, ${bills.uncertain} uncertain answers`,
  );
  return {
    tasks: tasks.length,
    kills,
    restarts,
    lost: lost.length,
    doubled: doubled.length,
    paidTwice: bills.paidTwice.length,
    stuck: stuck.length,
    violations,
  };
}

/** Waits for the ends, and no longer. */
async function settle(stack: Stack, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let nextReport = performance.now() + REPORT_MS;
  while (performance.now() < deadline) {
    const tasks = await tasksOf(stack.database.pool);
    if (tasks.every(({ state }) => isTerminal(state))) return;
    if (performance.now() > nextReport) {
      nextReport += REPORT_MS;
      stack.log(
        `${tasks.filter(({ state }) => isTerminal(state)).length} of ${tasks.length} tasks have ended`,
      );
    }
    await sleep(LOOK_MS, undefined, { signal: stack.signal });
  }
}

function wrongEnd(
  { id, plan }: Accepted,
  task: TaskRow | undefined,
  { end, result = resultOf, bystandersPoisoned = false }: Expectations,
): string[] {
  if (task === undefined || !isTerminal(task.state)) return [];
  if (bystandersPoisoned && task.failure?.includes('"poison"') === true) return [];
  const allowed = end?.({ id, plan }) ?? ['completed'];
  if (!allowed.includes(task.state))
    return [
      `task ${id} (${plan.key}) ended ${task.state}, not ${allowed.join(' or ')}: ${task.failure ?? ''}`,
    ];
  if (task.state !== 'completed' || (task.output ?? '').includes(result(plan))) return [];
  return [
    `task ${id} (${plan.key}) is completed, and its result is ${JSON.stringify(task.output).slice(0, 200)}`,
  ];
}

function effectsTwice(effects: readonly string[]): string[] {
  return repeated(effects).map((token) => `the effect ${token} was done twice`);
}

/** One key of a client is one task, however often the request was sent; one spawn is one child. */
function rootsTwice(tasks: readonly TaskRow[]): string[] {
  return repeated(tasks.map(({ title }) => title)).map((title) => `there are two tasks for ${title}`);
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
}

async function restOf(stack: Stack): Promise<string[]> {
  const { pool } = stack.database;
  const reports = await checkInvariants(pool);
  const orphans = await orphansIn(stack.home);
  return [
    ...reports.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`)),
    ...(await heldMoney(pool)),
    ...(await liveLeases(pool)),
    ...(await orphanedChildren(pool)),
    ...orphans.map((line) => `a command is left: ${line}`),
  ];
}
