/** From an HTTP request to a committed task, beside a bare `add` to BullMQ on the same backend. */
import type { Lab } from '../lab/lab.js';
import { cpuTimeMs } from '../lab/cpu-time.js';
import { submitter, type Submitter } from '../lab/http-load.js';
import { sideBySide } from '../lab/side-by-side.js';
import { startStack } from '../lab/stack.js';
import { openRawQueue, type RawQueue } from '../peers/raw-bullmq.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { measure, type Backend, type Measure } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';

const figure = 'submit';
const CLIENTS = 32;
const RAW_ADD = 'a call in the process of the load, which stores nothing but the job.';
const BODY = { agent: 'general', prompt: 'x'.repeat(1_000) };

/** Submits over HTTP from many clients at once: rate and latency on each backend. */
export async function measureSubmit(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends)
    all.push(
      ...(await withRivals(lab, ['pg-boss', 'graphile-worker', 'dbos'], (rivals) =>
        onBackend(lab, backend, rivals),
      )),
    );
  return all;
}

async function onBackend(lab: Lab, backend: Backend, rivals: Rivals): Promise<Measure[]> {
  const rounds = lab.quick ? 1 : 3;
  const many = lab.quick ? 300 : 1_500;
  const few = lab.quick ? 50 : 200;
  // No worker: the tasks stay queued, and nothing but the submit takes the machine's time.
  const stack = await startStack(lab, { backend, workers: 0 });
  const raw = await openRawQueue(lab.connection(backend, stack.database));
  const clients = submitter(stack.url, stack.key, CLIENTS);
  try {
    await warmUp(clients, raw);
    await rivals.warmUp('submitRate', CLIENTS, 100);
    const rates: number[] = [];
    const rawRates: number[] = [];
    const alone: number[] = [];
    const rawAlone: number[] = [];
    const crowded: number[] = [];
    let cpuMs: number | null = 0;
    for (let round = 1; round <= rounds; round += 1) {
      lab.say(`submit on ${backend}, round ${round} of ${rounds}`);
      rawRates.push((await sideBySide(CLIENTS, many, () => raw.add())).perSecond);
      const before = cpuTimeMs(stack.gateway.pid);
      const load = await sideBySide(CLIENTS, many, () => clients.submit(BODY));
      const after = cpuTimeMs(stack.gateway.pid);
      cpuMs = cpuMs === null || before === null || after === null ? null : cpuMs + after - before;
      rates.push(load.perSecond);
      crowded.push(...load.samples);
      rawAlone.push(...(await sideBySide(1, few, () => raw.add())).samples);
      alone.push(...(await sideBySide(1, few, () => clients.submit(BODY))).samples);
      await rivals.sample('submitRate', CLIENTS, many);
      await rivals.sample('submits', few);
    }
    const rate = {
      figure,
      backend,
      what: `tasks accepted, ${CLIENTS} clients, 1 kB prompts`,
      value: median(rates),
      unit: 'tasks/s',
    };
    const single = { figure, backend, what: 'p50 with one client', value: median(alone), unit: 'ms' };
    return [
      ...rivals.beside('submitRate', median, rate, { 'pg-boss': { of: 'ratio', atLeast: 1 } }),
      measure({ ...rate, peer: { name: 'raw BullMQ add', value: median(rawRates), unequal: RAW_ADD } }),
      measure({
        figure,
        backend,
        what: `p99 with ${CLIENTS} clients`,
        value: percentile(crowded, 0.99),
        unit: 'ms',
      }),
      ...(cpuMs === null
        ? []
        : [
            measure({
              figure,
              backend,
              what: 'CPU of the gateway for one submit',
              value: cpuMs / (rounds * many),
              unit: 'ms',
            }),
          ]),
      ...rivals.beside('submits', median, single),
      measure({
        ...single,
        peer: { name: 'raw BullMQ add', value: median(rawAlone), unequal: RAW_ADD },
        goal: { of: 'value', atMost: 6 },
        note: 'load generator, gateway, Postgres and queue share the cores.',
      }),
    ];
  } finally {
    clients.close();
    await raw.close();
    await stack.stop();
  }
}

async function warmUp(clients: Submitter, raw: RawQueue): Promise<void> {
  await sideBySide(CLIENTS, 100, () => clients.submit(BODY));
  await sideBySide(CLIENTS, 100, () => raw.add());
}
