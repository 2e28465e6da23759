/** From a submit to the first request that the model sees, in an idle deployment, beside BullMQ's add-to-process. */
import type { Scenario } from '@bullpen/model-sim';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab/lab.js';
import { submitter } from '../lab/http-load.js';
import { startStack } from '../lab/stack.js';
import { openRawQueue } from '../peers/raw-bullmq.js';
import { measure, type Backend, type Measure } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';

const figure = 'idle-start';
const GOAL_MS: Record<Backend, number> = { redis: 10, postgres: 30 };
/** Between two submits, so that each one finds the deployment at rest. */
const REST_MS = 30;

/** The time in ms from a submit to the model's first request, when nothing else is to do. */
export async function measureIdleStart(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends) all.push(...(await onBackend(lab, backend)));
  return all;
}

async function onBackend(lab: Lab, backend: Backend): Promise<Measure[]> {
  const count = lab.quick ? 25 : 150;
  let asked: (at: number) => void = () => undefined;
  const scenario: Scenario = {
    name: 'idle-start',
    agents: {},
    default: () => {
      asked(performance.now());
      return { text: 'Done.' };
    },
  };
  const stack = await startStack(lab, { backend, workers: 1, scenario });
  const raw = await openRawQueue(lab.connection(backend, stack.database));
  const client = submitter(stack.url, stack.key, 1);
  const start = async (): Promise<number> => {
    await sleep(REST_MS);
    const seen = new Promise<number>((resolve) => (asked = resolve));
    const begin = performance.now();
    await client.submit({ agent: 'general', prompt: 'Go.' });
    return (await seen) - begin;
  };
  try {
    lab.say(`idle start on ${backend}`);
    const samples: number[] = [];
    const peers: number[] = [];
    for (let n = -10; n < count; n += 1) {
      const [sample, peer] = [await start(), await raw.addToProcess()];
      if (n < 0) continue;
      samples.push(sample);
      peers.push(peer);
    }
    const peer = (share: number) => ({
      name: 'raw BullMQ add to process',
      value: percentile(peers, share),
    });
    return [
      measure({
        figure,
        backend,
        what: 'submit to first model request, p50',
        value: median(samples),
        unit: 'ms',
        peer: peer(0.5),
        goal: { of: 'value', atMost: GOAL_MS[backend] },
        note: 'the whole way: HTTP, commit, announcement, claim, workspace, load, intent, HTTP to the model.',
      }),
      measure({
        figure,
        backend,
        what: 'submit to first model request, p95',
        value: percentile(samples, 0.95),
        unit: 'ms',
        peer: peer(0.95),
      }),
    ];
  } finally {
    client.close();
    await raw.close();
    await stack.stop();
  }
}
