/**
 * BullMQ's backends with three problems of its worker fixed.
 *
 * 1. BullMQ pauses after a refused connection only; any other error ("the database system is starting up", "Connection
 *    terminated") makes it fetch again at once, thousands of times a second for as long as the restart lasts.
 * 2. After an error it blocks its next idle fetch for as long as the backend allows, which on Postgres is an hour; a worker
 *    whose notifications got lost would be deaf for that long.
 * 3. An idle fetch that wakes up while the worker pauses, is held or closes still takes a job.
 */
import type { BackendFactory } from 'bullmq';
import { pause } from './within.js';

/** Rest after a failed fetch, in ms. */
const REST_MS = 250;

interface SteadyOptions {
  /** Longest block of an idle fetch, in seconds. */
  readonly idleFetchS: number;
  /** Once aborted nothing is fetched any more. */
  readonly stop: AbortSignal;
  /** While true nothing is fetched. */
  readonly isHeld: () => boolean;
}

/** The same factory, for one worker. */
export function steadyBackend(factory: BackendFactory, options: SteadyOptions): BackendFactory {
  return (...args) => {
    const backend = factory(...args);
    const fetch = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...fetchArgs) => {
      // Behaves as if the queue were empty.
      if (options.stop.aborted || options.isHeld()) return [];
      try {
        return await fetch(...fetchArgs);
      } catch (error) {
        await pause(REST_MS, options.stop);
        throw error;
      }
    };
    Object.defineProperty(backend, 'maximumBlockTimeout', { value: options.idleFetchS });
    return backend;
  };
}
