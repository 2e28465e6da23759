/** What runs: who answers for the model, whose the port is, whether the gateway and the workers live. */
import type { ProviderKeyView, SystemInfo } from '@bullpen/contracts';
import { modelUrlOf, routeTo, type ProxySettings, type Route, type UpSettings } from '@bullpen/platform';
import type { Endpoint } from '../endpoint.js';
import { connectTo } from '../context.js';
import { age, plural } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { pauseText } from '../render/provider-table.js';
import { isPortFree } from '../stack/port.js';
import { reasonOf, type Check } from './check.js';

const WORKER_SILENT_MS = 15_000;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

export interface StackCheckInput {
  readonly settings: UpSettings;
  /** Null when no gateway is known, which is no fault. */
  readonly endpoint: Endpoint | null;
  readonly now: number;
}

export async function stackChecks(input: StackCheckInput): Promise<Check[]> {
  const { settings } = input;
  const [port, running] = await Promise.all([checkPort(input), checkGateway(input)]);
  return [checkModel(settings), checkAddress(settings), port, ...running];
}

export function checkModel(settings: ModelSettings): Check {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } = settings;
  const name = 'Model';
  if (ANTHROPIC_API_KEY === undefined)
    return {
      name,
      status: 'info',
      proof: 'no ANTHROPIC_API_KEY: answers come from the local simulator',
      fix: 'set ANTHROPIC_API_KEY to use Claude',
    };
  try {
    const to = ANTHROPIC_BASE_URL === undefined ? 'the Anthropic API' : shownAddress(ANTHROPIC_BASE_URL);
    const way = wayOf(routeTo(modelUrlOf(settings), settings));
    return { name, status: 'ok', proof: `ANTHROPIC_API_KEY is set; requests go to ${to}${way}` };
  } catch (error) {
    return { name, status: 'fail', proof: reasonOf(error), fix: 'correct or remove that variable' };
  }
}

type ModelSettings = ProxySettings & Pick<UpSettings, 'ANTHROPIC_API_KEY' | 'ANTHROPIC_BASE_URL'>;

/** An address may hold credentials. */
function shownAddress(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

function wayOf(route: Route): string {
  if (route.kind === 'proxy') {
    const { url, authorization, from } = route.proxy;
    const user = authorization === null ? '' : ', with a user and a password';
    return ` through the proxy ${url} (${from}${user})`;
  }
  return route.because === 'NO_PROXY' ? ', not through the proxy: NO_PROXY names the host' : '';
}

function checkAddress({ HOST }: UpSettings): Check {
  if (LOOPBACK.includes(HOST))
    return { name: 'Address', status: 'ok', proof: `HOST is ${HOST}: only this machine can connect` };
  return {
    name: 'Address',
    status: 'warn',
    proof: `HOST is ${HOST}: other machines can connect`,
    fix: 'put a proxy with TLS before it, or use HOST=127.0.0.1',
  };
}

async function checkPort({ settings, endpoint }: StackCheckInput): Promise<Check> {
  const { HOST, PORT } = settings;
  const name = 'Port';
  if (PORT === 0) return { name, status: 'ok', proof: 'PORT is 0: a free one is taken' };
  if (await isPortFree(HOST, PORT)) return { name, status: 'ok', proof: `${HOST}:${PORT} is free` };
  // Whether that is a gateway at all, the next check finds out.
  if (endpoint !== null && isHere(new URL(endpoint.url), settings))
    return { name, status: 'ok', proof: `${HOST}:${PORT} is taken, by this Bullpen at ${endpoint.url}` };
  return {
    name,
    status: 'fail',
    proof: `${HOST}:${PORT} is taken by another program`,
    fix: 'set PORT to another one',
  };
}

function isHere({ hostname, port }: URL, { HOST, PORT }: UpSettings): boolean {
  return Number(port) === PORT && [...LOOPBACK, '[::1]', HOST].includes(hostname);
}

async function checkGateway({ endpoint, now }: StackCheckInput): Promise<Check[]> {
  const name = 'Gateway';
  if (endpoint === null)
    return [{ name, status: 'info', proof: 'none is running at this home', fix: 'bullpen up' }];
  try {
    const { client } = connectTo(endpoint);
    const [info, keys] = await Promise.all([client.system.info(), client.providers.list()]);
    const proof = `${endpoint.url} (from ${endpoint.from}) answered: version ${info.version}, queue ${info.queueBackend}`;
    return [
      { name, status: 'ok', proof },
      checkWorkers(info, now),
      ...keys.map(checkProvider),
      checkRepairs(info),
    ];
  } catch (error) {
    return [
      {
        name,
        status: 'fail',
        proof: `${endpoint.url} (from ${endpoint.from}): ${reasonOf(error)}`,
        fix: 'start it, or correct the address and the key',
      },
    ];
  }
}

function checkWorkers({ workers }: SystemInfo, now: number): Check {
  const alive = workers.filter((worker) => now - Date.parse(worker.seenAt) < WORKER_SILENT_MS);
  if (alive.length === 0)
    return {
      name: 'Workers',
      status: 'fail',
      proof: 'none was heard of in the last 15 s',
      fix: 'see the logs of the workers, or start one',
    };
  const last = alive.map(
    (worker) =>
      `process ${worker.pid}: ${worker.running}/${worker.slots} busy, seen ${age(worker.seenAt, now)}`,
  );
  return {
    name: 'Workers',
    status: 'ok',
    proof: `${plural(alive.length, 'worker')} alive (${last.join('; ')})`,
  };
}

function checkProvider(key: ProviderKeyView): Check {
  const { id, endpoint, state, errorClass, message, waitingTasks } = key;
  const name = 'Provider key';
  const who = `${id} (${endpoint})`;
  switch (state) {
    case 'open':
      return { name, status: 'ok', proof: `${who} is open, ${plural(key.workers, 'worker')} use it` };
    case 'paused':
      return {
        name,
        status: 'info',
        proof: `${who} is ${pauseText(key)}`,
      };
    case 'parked': {
      const why = oneLine(message ?? errorClass ?? 'no reason was given');
      return {
        name,
        // A key that was replaced hurts nobody any more.
        status: key.workers > 0 || waitingTasks > 0 ? 'fail' : 'warn',
        proof: `${who} is parked: ${why}; ${plural(waitingTasks, 'task')} ${waitingTasks === 1 ? 'waits' : 'wait'} for it`,
        fix: `see to the key or its credit, then bullpen providers resume ${id}; or restart the workers with another key`,
      };
    }
  }
}

function checkRepairs({ repairs }: SystemInfo): Check {
  const made = Object.entries(repairs).filter(([, count]) => count > 0);
  const proof =
    made.length === 0
      ? 'the reconciler had nothing to repair'
      : made.map(([kind, count]) => `${kind}: ${count}`).join(', ');
  return { name: 'Repairs', status: made.length === 0 ? 'ok' : 'info', proof };
}
