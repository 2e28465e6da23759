/** From a submit to the first request that the model sees, in an idle deployment, beside BullMQ's add-to-process. */
import type { Scenario } from '@bullpen/model-sim';
import { Arrivals } from '../lab/arrivals.js';
import type { Lab } from '../lab/lab.js';
import { submitter } from '../lab/http-load.js';
import { startStack } from '../lab/stack.js';
import { openRawQueue } from '../peers/raw-bullmq.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { measure, type Backend, type Measure } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';

const figure = 'idle-start';
/** The time in ms from a submit to the model's first request, when nothing else is to do. */
export async function measureIdleStart(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends)
    all.push(
      ...(await withRivals(lab, ['dbos', 'graphile-worker', 'pg-boss'], (rivals) =>
        onBackend(lab, backend, rivals),
      )),
    );
  return all;
}

/** Starts of each peer after so many of ours; some of them poll, so that one takes up to a second. */
const EVERY = 10;
const STARTS = 3;

async function onBackend(lab: Lab, backend: Backend, rivals: Rivals): Promise<Measure[]> {
  const rounds = lab.quick ? 3 : 15;
  const starts = new Arrivals();
  const scenario: Scenario = {
    name: 'idle-start',
    agents: {},
    default: () => {
      starts.arrived();
      return { text: 'Done.' };
    },
  };
  const stack = await startStack(lab, { backend, workers: 1, scenario });
  const raw = await openRawQueue(lab.connection(backend, stack.database));
  const client = submitter(stack.url, stack.key, 1);
  const submit = () => client.submit({ agent: 'general', prompt: 'Go.' });
  try {
    lab.say(`idle start on ${backend}`);
    await starts.after(submit, 10);
    await raw.addToProcess();
    await rivals.warmUp('starts', STARTS);
    const samples: number[] = [];
    const rawSamples: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      samples.push(...(await starts.after(submit, EVERY)));
      for (let n = 0; n < EVERY; n += 1) rawSamples.push(await raw.addToProcess());
      await rivals.sample('starts', STARTS);
    }
    await rivals.sample('queuedStarts', EVERY);
    return lines(backend, samples, rawSamples, rivals);
  } finally {
    client.close();
    await raw.close();
    await stack.stop();
  }
}

function lines(
  backend: Backend,
  samples: readonly number[],
  rawSamples: readonly number[],
  rivals: Rivals,
): Measure[] {
  const name = 'raw BullMQ add to process';
  const unequal = 'one hop: the worker is in the process that adds, and the job is all that is stored.';
  const typical = {
    figure,
    backend,
    what: 'submit to first model request, p50',
    value: median(samples),
    unit: 'ms',
    note: 'the whole way: HTTP, commit, announcement, claim, workspace, load, intent, HTTP to the model.',
  };
  return [
    ...rivals.beside('starts', median, typical, { dbos: { of: 'ratio', atMost: 3 } }),
    ...rivals.beside('queuedStarts', median, typical),
    measure({ ...typical, peer: { name, value: median(rawSamples), unequal } }),
    measure({
      figure,
      backend,
      what: 'submit to first model request, p95',
      value: percentile(samples, 0.95),
      unit: 'ms',
      peer: { name, value: percentile(rawSamples, 0.95), unequal },
    }),
  ];
}
