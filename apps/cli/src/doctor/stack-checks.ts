/** What runs: who answers for the model, whether the gateway and the workers live. */
import type { ProviderKeyView, SystemInfo } from '@bullpen/contracts';
import type { UpSettings } from '@bullpen/platform';
import { connectTo } from '../context.js';
import type { Endpoint } from '../endpoint.js';
import { reasonOf } from '../errors.js';
import { tellKey } from '../refused-key.js';
import { ago, nounFor, plural } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { pauseText } from '../render/provider-table.js';
import { addressChecks } from './address-checks.js';
import type { Check } from './check.js';
import { checkModel, checkRunningModel } from './model-check.js';

const WORKER_SILENT_MS = 15_000;

export interface StackCheckInput {
  readonly settings: UpSettings;
  /** Null when no gateway is known, which is no fault. */
  readonly endpoint: Endpoint | null;
  readonly now: number;
}

interface Running {
  readonly info: SystemInfo;
  /** Or why they are not known. */
  readonly keys: readonly ProviderKeyView[] | Check;
}

/** What runs is asked before the settings: those of this shell may be others than it was started with. */
export async function stackChecks({ settings, endpoint, now }: StackCheckInput): Promise<Check[]> {
  const [running, addresses] = await Promise.all([ask(endpoint), addressChecks(settings, endpoint)]);
  if (running === null)
    return [
      checkModel(settings),
      ...addresses,
      { name: 'Gateway', status: 'info', proof: 'none is running in this home folder', fix: 'bullpen up' },
    ];
  if ('status' in running) return [checkModel(settings), ...addresses, running];
  const { info, keys } = running;
  return [
    checkRunningModel(info, settings),
    ...addresses,
    checkGateway(info, endpoint),
    checkWorkers(info, now),
    ...('status' in keys ? [keys] : keys.map(checkProvider)),
    checkRepairs(info),
  ];
}

async function ask(endpoint: Endpoint | null): Promise<Running | Check | null> {
  if (endpoint === null) return null;
  try {
    const { client } = connectTo(endpoint);
    const info = await client.system.info();
    return { info, keys: await client.providers.list().catch(unknownKeys) };
  } catch (error) {
    return {
      name: 'Gateway',
      status: 'fail',
      proof: `${endpoint.url} (from ${endpoint.from}): ${reasonOf(tellKey(error, () => endpoint))}`,
      fix: 'start it, or correct the address and the key',
    };
  }
}

/** An older gateway may not have the list; that it answers is worth more than the list. */
function unknownKeys(error: unknown): Check {
  return {
    name: 'Provider',
    status: 'warn',
    proof: `the gateway cannot say: ${reasonOf(error)}`,
    fix: 'update the gateway',
  };
}

function checkGateway(info: SystemInfo, endpoint: Endpoint | null): Check {
  const proof = `${endpoint?.url} (from ${endpoint?.from}) answered: version ${info.version}, queue ${info.queueBackend}`;
  return { name: 'Gateway', status: 'ok', proof };
}

function checkWorkers({ workers }: SystemInfo, now: number): Check {
  const alive = workers.filter((worker) => now - Date.parse(worker.seenAt) < WORKER_SILENT_MS);
  if (alive.length === 0)
    return {
      name: 'Workers',
      status: 'fail',
      proof: 'none was heard from in the last 15 s',
      fix: 'see the logs of the workers, or start one',
    };
  const last = alive.map(
    (worker) =>
      `process ${worker.pid}: ${worker.running}/${worker.slots} busy, sandbox ${worker.sandbox ?? 'unknown'}, seen ${ago(worker.seenAt, now)}`,
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
      return { name, status: 'ok', proof: `${who} is open, in use by ${plural(key.workers, 'worker')}` };
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
        proof: `${who} is parked: ${why}; ${plural(waitingTasks, 'task')} ${nounFor(waitingTasks, 'waits', 'wait')} for it`,
        fix: `fix the key or its credit, then bullpen providers resume ${id}; or restart the workers with another key`,
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
