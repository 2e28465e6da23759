/** Plays many cases on one installation: those that leave each other alone side by side, the rest one after the other. */
import { checkInvariants } from '@bullpen/store';
import { heldMoney, liveLeases } from '../stack/books.js';
import { judgeCase } from './judge-case.js';
import { atRest, play, type Stage } from './play.js';
import { says } from './reply.js';
import { AFTER, type WireCase } from './wire-case.js';
import type { WireStack } from './wire-stack.js';

export interface CaseResult {
  readonly name: string;
  readonly what: string;
  /** What is wrong; empty when it passed. */
  readonly found: readonly string[];
  readonly seconds: number;
}

type Told = (result: CaseResult) => void;

/** Cases that are played side by side. */
const LANES = 8;

export async function runCases(stack: WireStack, cases: readonly WireCase[], told: Told): Promise<void> {
  const together = cases.filter(({ alone }) => alone !== true);
  const lane = async (): Promise<void> => {
    for (let one = together.shift(); one !== undefined; one = together.shift())
      told(await timed(one, () => playOne(stack, one)));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const one of cases.filter(({ alone }) => alone === true))
    told(await timed(one, () => playAlone(stack, one)));
}

/** What must hold of the installation when all cases are over. */
export async function judgeStack({ database, crashes }: WireStack): Promise<readonly string[]> {
  const reports = await checkInvariants(database.pool);
  return [
    ...crashes,
    ...reports.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`)),
    ...(await heldMoney(database.pool)),
    ...(await liveLeases(database.pool)),
  ];
}

async function timed({ name, what }: WireCase, run: () => Promise<readonly string[]>): Promise<CaseResult> {
  const startedAt = performance.now();
  const found = await run().catch((error: unknown) => [String(error)]);
  return { name, what, found, seconds: (performance.now() - startedAt) / 1_000 };
}

async function playOne({ stage }: WireStack, one: WireCase): Promise<readonly string[]> {
  const found = judgeCase(await play(stage, one), one.expect);
  return (await openKeys(stage)) ? [...found, 'the key was parked by it, or by a case beside it'] : found;
}

/** The case, then a bystander on the same key, then the key as it was. */
async function playAlone({ stage }: WireStack, one: WireCase): Promise<readonly string[]> {
  const played = await play(stage, one);
  const found = [...judgeCase(played, one.expect)];
  const wasParked = await openKeys(stage);
  if (wasParked !== (one.expect.parks ?? false))
    found.push(wasParked ? 'the key was parked by it' : 'the key was not parked');
  if (wasParked && played.task.state === 'waiting') await atRest(stage, played.task.id);
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
