/** What a worker takes for a task that streams: memory, processor time, the delay of its event loop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startEndlessModel, type EndlessModel } from '../lab/endless-model.js';
import { submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import type { NodeProcess } from '../lab/node-process.js';
import type { ProbeAnswer } from '../lab/probe-process.js';
import { sideBySide } from '../lab/side-by-side.js';
import { startStack, type Stack } from '../lab/stack.js';
import { readAlone, watchStreaming, whenStreaming, type Streaming } from '../lab/streaming.js';
import { measure, type Backend, type Measure, type Measured, type Peer } from '../report/measure.js';

const figure = 'memory';
const MIB = 2 ** 20;
/** Of each answer. */
const PIECES_A_SECOND = 50;

/** Memory per task, from the difference between few and many; what a piece of an answer costs, and how late the event loop is. */
export async function measureMemory(lab: Lab): Promise<Measure[]> {
  const [few, many] = lab.quick ? [20, 60] : [100, 300];
  const model = await startEndlessModel(PIECES_A_SECOND);
  try {
    lab.say(`memory: ${many} streams without a worker`);
    const sdk = await readAlone(lab, 'sdk', model, many);
    const ours = await readAlone(lab, 'ours', model, many);
    const all = besideSdk(`${many} streams in a process that does nothing else`, ours, sdk, null);
    for (const backend of lab.backends) {
      lab.say(`memory on ${backend}: ${few} and ${many} streaming tasks`);
      all.push(...(await onBackend(lab, backend, model, [few, many], sdk)));
    }
    return all;
  } finally {
    await model.close();
  }
}

async function onBackend(
  lab: Lab,
  backend: Backend,
  model: EndlessModel,
  [few, many]: readonly [number, number],
  sdk: Streaming,
): Promise<Measure[]> {
  const stack = await startStack(lab, {
    backend,
    workers: 1,
    settings: { WORKER_SLOTS: String(many), ANTHROPIC_BASE_URL: model.url },
  });
  try {
    const [worker] = stack.workers;
    if (worker === undefined) throw new Error('There is no worker');
    await sleep(1_000);
    const idle = await probe(worker);
    await stream(stack, model, few);
    const first = await probe(worker);
    await stream(stack, model, many);
    const streaming = await watchStreaming(worker, model);
    const second = streaming.probe;
    const perTask = (of: 'rss' | 'heapUsed') => (second[of] - first[of]) / (many - few) / MIB;
    const one = (rest: Omit<Measured, 'figure' | 'backend'>) => measure({ figure, backend, ...rest });
    return [
      one({
        what: `RSS a running task, ${few} -> ${many} streaming`,
        value: perTask('rss'),
        unit: 'MiB',
        goal: { of: 'value', atMost: 1 },
        note: `idle worker ${Math.round(idle.rss / MIB)} MiB RSS; with ${many} streams ${Math.round(second.rss / MIB)} MiB; ${PIECES_A_SECOND} pieces a second each.`,
      }),
      one({ what: 'heap a running task', value: perTask('heapUsed'), unit: 'MiB' }),
      ...besideSdk(`${many} streaming tasks in a worker`, streaming, sdk, backend),
    ];
  } finally {
    await stack.stop();
  }
}

/** Processor time and delay beside those of the SDK's own stream, which does nothing with what it reads. */
function besideSdk(where: string, read: Streaming, sdk: Streaming, backend: Backend | null): Measure[] {
  const peer = (value: number | null): Peer => ({
    name: "the SDK's own stream",
    value,
    unequal: 'a process that only reads: no record, no masking, no watchers',
  });
  const one = (rest: Omit<Measured, 'figure' | 'backend'>) =>
    measure({ figure, ...(backend === null ? {} : { backend }), ...rest });
  const delay = one({
    what: `event loop delay p99, ${where}`,
    value: read.probe.delayP99Ms,
    unit: 'ms',
    peer: peer(sdk.probe.delayP99Ms),
    goal: { of: 'value', atMost: 20 },
  });
  if (read.cpuOfPiece === null) return [delay];
  const cpu = one({
    what: `CPU of a piece, ${where}`,
    value: read.cpuOfPiece,
    unit: 'us',
    peer: peer(sdk.cpuOfPiece),
  });
  return [delay, cpu];
}

function probe(worker: NodeProcess): Promise<ProbeAnswer> {
  return worker.ask<ProbeAnswer>({ type: 'probe' });
}

/** Submits tasks until so many stream. */
async function stream({ url, key }: Stack, model: EndlessModel, count: number): Promise<void> {
  const client = submitter(url, key, 8);
  await sideBySide(8, count - model.open(), () => client.submit({ agent: 'general', prompt: 'Talk.' }));
  client.close();
  await whenStreaming(model, count);
}
