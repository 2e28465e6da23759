/**
 * Whether a run may treat an error as temporary depends on where it comes from: the store may be unreachable and come back, and
 * then the same run goes on; an error from anywhere else would happen again.
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

/** True for errors that may be gone when the run is started again. */
export function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}
