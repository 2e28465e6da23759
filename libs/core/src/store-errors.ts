/**
 * What a run may take for a passing trouble is decided by where it comes from: the store may be away and come back, and then the
 * same run goes on; an error from anywhere else would come again.
 */
import { AppError } from '@bullpen/contracts';
import type { TaskStore } from './store.js';
import { errorText } from './text.js';

/** The same store, whose errors are `AppError`s that say whether they may pass. */
export function withKnownErrors(store: TaskStore): TaskStore {
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
  return {
    claim: (...args) => known(() => store.claim(...args)),
    load: (...args) => known(() => store.load(...args)),
    commit: (...args) => known(() => store.commit(...args)),
    takeInbox: (...args) => known(() => store.takeInbox(...args)),
    interactions: (...args) => known(() => store.interactions(...args)),
    layers: (...args) => known(() => store.layers(...args)),
    children: (...args) => known(() => store.children(...args)),
    storedOutput: (...args) => known(() => store.storedOutput(...args)),
  };
}

/** True for what may be gone when the run is begun again. */
export function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}
