/** Plays many cases on one installation: those that leave each other alone side by side, the rest one after the other. */
import type { TaskView } from '@bullpen/contracts';
import { checkInvariants } from '@bullpen/store';
import { waitFor } from '@bullpen/testing/harness';
import { heldMoney, liveLeases } from '../stack/books.js';
import { judgeCase } from './judge-case.js';
import { atRest, play } from './play.js';
import { says } from './reply.js';
import type { Stage } from './stage.js';
import { AFTER, type Probe, type Skipped, type WireCase } from './wire-case.js';
import type { WireStack } from './wire-stack.js';

export interface CaseResult {
  readonly name: string;
  readonly what: string;
  /** What is wrong; empty when it passed. */
  readonly found: readonly string[];
  /** Why it was not tried; null when it was. */
  readonly skipped: string | null;
  readonly seconds: number;
}

type Told = (result: CaseResult) => void;

/** Cases that are played side by side. */
const LANES = 8;

/** Plays all parts, and tells of each as soon as it is judged. Those marked `alone` come after all others. */
export async function runCases(
  stack: WireStack,
  parts: readonly (WireCase | Probe)[],
  told: Told,
): Promise<void> {
  const cases = parts.filter((part) => 'replies' in part);
  const together = cases.filter(({ alone }) => alone !== true);
  const lane = async (): Promise<void> => {
    for (let one = together.shift(); one !== undefined; one = together.shift())
      told(await timed(one, () => playOne(stack, one)));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const one of cases.filter(({ alone }) => alone === true))
    told(await timed(one, () => playAlone(stack, one)));
  for (const one of [...parts.filter((part) => 'probe' in part), installation])
    told(await timed(one, () => one.probe(stack)));
}

/** What must hold of the installation when all cases are over. */
const installation: Probe = {
  name: 'installation',
  what: 'invariants, processes and money when all is over',
  probe: async ({ database, crashes }) => {
    const reports = await checkInvariants(database.pool);
    return [
      ...crashes,
      ...reports.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`)),
      ...(await heldMoney(database.pool)),
      ...(await liveLeases(database.pool)),
    ];
  },
};

async function timed(
  { name, what }: WireCase | Probe,
  run: () => Promise<readonly string[] | Skipped>,
): Promise<CaseResult> {
  const startedAt = performance.now();
  const end = await run().catch((error: unknown) => [String(error)]);
  const seconds = (performance.now() - startedAt) / 1_000;
  return 'skipped' in end
    ? { name, what, found: [], skipped: end.skipped, seconds }
    : { name, what, found: end, skipped: null, seconds };
}

async function playOne({ stage }: WireStack, one: WireCase): Promise<readonly string[]> {
  const played = await play(stage, one);
  const found = [...judgeCase(played, one.expect)];
  if (await openKeys(stage)) found.push('the key was parked by it, or by a case beside it');
  if (played.task.state === 'failed') found.push(...(await tryAgain(stage, one, played.task)));
  return found;
}

/** Whatever it failed of: with ordinary answers another attempt must get through. */
async function tryAgain(stage: Stage, { name }: WireCase, { id }: TaskView): Promise<readonly string[]> {
  stage.server.script(name, () => says(AFTER));
  await stage.client.tasks.retry(id, { limits: { turns: 300 } }, { signal: stage.signal });
  await atRest(stage, id);
  const { state, waitReason, failure } = await stage.client.tasks.get(id, { signal: stage.signal });
  const isThrough = state === 'completed' || (state === 'waiting' && waitReason === 'message');
  return isThrough ? [] : [`tried again it is ${state}: ${failure?.message ?? waitReason}`];
}

/** The case, then a bystander on the same key, then the key as it was. */
async function playAlone({ stage }: WireStack, one: WireCase): Promise<readonly string[]> {
  const played = await play(stage, one);
  const found = [...judgeCase(played, one.expect)];
  const wasParked = await openKeys(stage);
  if (wasParked !== (one.expect.parks ?? false))
    found.push(wasParked ? 'the key was parked by it' : 'the key was not parked');
  if (wasParked && played.task.waitReason === 'provider') {
    // A worker that has not heard of it yet lets the task wait once more.
    const completes = async () => (await stage.client.tasks.get(played.task.id)).state === 'completed';
    await waitFor(completes, { what: 'the task to complete with its key' });
  }
  const bystander: WireCase = {
    name: `${one.name}-bystander`,
    what: '',
    replies: [says(AFTER)],
    expect: { output: AFTER },
  };
  const others = judgeCase(await play(stage, bystander), bystander.expect);
  return [...found, ...others.map((what) => `another task: ${what}`)];
}

/** Opens what is parked; true when anything was. */
async function openKeys({ client, signal }: Stage): Promise<boolean> {
  const parked = (await client.providers.list({ signal })).filter(({ state }) => state === 'parked');
  for (const { id } of parked) await client.providers.resume(id, { signal });
  return parked.length > 0;
}
