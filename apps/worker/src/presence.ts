/**
 * A worker's row: that it lives, and how much it runs. For people, for how many wakes are announced, and for whether a lease that runs
 * out is the work of a crash; no authority over tasks.
 */
import { hostname } from 'node:os';
import type { FlowState } from '@bullpen/contracts';
import { Repeating, type Logger } from '@bullpen/platform';
import { seeWorker, type createPool } from '@bullpen/store';

export interface PresenceOptions {
  readonly pool: ReturnType<typeof createPool>;
  readonly workerId: string;
  readonly slots: number;
  readonly version: string;
  readonly simulated: boolean;
  readonly providerKey: string;
  readonly sandbox: string;
  /** Names its installation folder. */
  readonly home: string;
  /** How long it keeps the workspaces of ended trees. */
  readonly keepHours: number | undefined;
  readonly running: () => number;
  /** Told whether the worker may take work, whenever it says that it lives. */
  readonly onFlow: (state: FlowState) => Promise<void>;
  /** How often it says that it lives, in ms. Less than half a lease: then a lease that runs out tells whether its worker died. */
  readonly everyMs: number;
  readonly logger: Logger;
}

export interface Presence {
  /** Says that no slot of this worker is to be filled any more. */
  leave(): Promise<void>;
  /** Says that the worker has stopped. */
  stop(): Promise<void>;
}

/** Says so now and from time to time. Failures are logged only. */
export async function announcePresence(options: PresenceOptions): Promise<Presence> {
  const { pool, workerId: id, version, simulated, providerKey, sandbox, running, logger } = options;
  const { home, keepHours } = options;
  const about = { version, simulated, providerKey, sandbox, home, keepHours };
  const same = { id, host: hostname(), pid: process.pid, ...about };
  let { slots } = options;
  const say = async (stopped: boolean): Promise<void> => {
    const flow = await seeWorker(pool, { ...same, slots, running: running() }, stopped, 2 * options.everyMs);
    if (!stopped) await options.onFlow(flow);
  };
  const sayOnce = (stopped: boolean): Promise<void> =>
    say(stopped).catch((error: unknown) =>
      logger.warn({ err: error }, 'the worker row could not be written'),
    );
  await sayOnce(false);
  const { everyMs } = options;
  const saying = new Repeating({
    name: 'saying that the worker lives',
    everyMs,
    run: () => say(false),
    logger,
  });
  saying.start();
  return {
    leave: () => {
      slots = 0;
      return sayOnce(false);
    },
    stop: async () => {
      await saying.stop();
      await sayOnce(true);
    },
  };
}
