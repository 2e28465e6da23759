/** A worker's row for people: that it lives, and how much it runs. Decides nothing. */
import { hostname } from 'node:os';
import type { Logger } from '@bullpen/platform';
import { seeWorker, type createPool } from '@bullpen/store';

export interface PresenceOptions {
  readonly pool: ReturnType<typeof createPool>;
  readonly workerId: string;
  readonly slots: number;
  readonly version: string;
  readonly simulated: boolean;
  readonly providerKey: string;
  readonly running: () => number;
  readonly logger: Logger;
}

/** How often a worker says that it lives. */
const EVERY_MS = 5_000;

/** Says so now and from time to time; `stop` says that the worker has stopped. Failures are logged only. */
export async function announcePresence(options: PresenceOptions): Promise<{ stop(): Promise<void> }> {
  const { pool, workerId: id, slots, version, simulated, providerKey, running, logger } = options;
  const same = { id, host: hostname(), pid: process.pid, slots, version, simulated, providerKey };
  const say = async (stopped: boolean): Promise<void> => {
    try {
      await seeWorker(pool, { ...same, running: running() }, stopped);
    } catch (error) {
      logger.warn({ err: error }, 'the worker row could not be written');
    }
  };
  await say(false);
  const timer = setInterval(() => void say(false), EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await say(true);
    },
  };
}
