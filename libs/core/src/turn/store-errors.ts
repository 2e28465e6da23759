/**
 * Whether a run may treat an error as temporary depends on what it says: the store may be unreachable and come back, and then the
 * same run goes on; anything else would happen again.
 */
import { AppError, errorText } from '@bullpen/contracts';
import type { LoopDeps } from '../ports/loop-deps.js';
import type { TaskStore } from '../ports/store.js';

type Stores = Pick<LoopDeps, 'store' | 'media'>;

/** The same stores, with errors that are `AppError`s and say whether they are temporary. */
export function withKnownErrors({ store, media }: Stores): Stores {
  const known = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const retryable = store.mayPass?.(cause) ?? true;
      const code = retryable ? 'database_unreachable' : 'internal_error';
      throw new AppError(code, errorText(cause), { retryable, cause });
    }
  };
  const tasks: TaskStore = {
    claim: (...args) => known(() => store.claim(...args)),
    load: (...args) => known(() => store.load(...args)),
    commit: (...args) => known(() => store.commit(...args)),
    takeInbox: (...args) => known(() => store.takeInbox(...args)),
    interactions: (...args) => known(() => store.interactions(...args)),
    layers: (...args) => known(() => store.layers(...args)),
    children: (...args) => known(() => store.children(...args)),
    transitions: (...args) => known(() => store.transitions(...args)),
    workInHand: (...args) => known(() => store.workInHand(...args)),
    storedOutput: (...args) => known(() => store.storedOutput(...args)),
    isAway: (error) => store.isAway?.(error) ?? false,
  };
  if (media === undefined) return { store: tasks };
  return {
    store: tasks,
    media: {
      keep: (...args) => known(() => media.keep(...args)),
      describe: (...args) => known(() => media.describe(...args)),
      read: (...args) => known(() => media.read(...args)),
    },
  };
}

/** What a run broke off with. Where somebody else met a store that cannot be reached, it is the error that the store itself would give. */
export function brokenOffBy(error: unknown, { isAway }: Pick<TaskStore, 'isAway'>): unknown {
  if (error instanceof AppError || isAway?.(error) !== true) return error;
  return new AppError('database_unreachable', errorText(error), { retryable: true, cause: error });
}

/** True for errors that may be gone when the run is started again. */
export function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}
