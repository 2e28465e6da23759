/**
 * Who has seen which content of which file, so that no agent overwrites what it does not know. In memory: after a change of
 * worker it is empty, and the rules for files that were not read apply.
 */

/** What a task last saw in a file. */
export interface SeenFile {
  /** Fingerprint of the content (see `file-content.ts`). */
  readonly fingerprint: string;
  /** The call that wrote this content; null when it was read. */
  readonly writtenBy: string | null;
}

/** Bounds of memory: tasks that have gone quiet longest, and files seen longest ago, are forgotten first. */
const MAX_TASKS = 1_000;
const MAX_FILES = 5_000;

/** One for a worker. All paths are real absolute paths. */
export class FileTracker {
  private readonly tasks = new Map<string, Map<string, SeenFile>>();
  private readonly locks = new Map<string, Promise<unknown>>();

  /** What the task saw last; undefined when it neither read nor wrote the file here. */
  seen(taskId: string, file: string): SeenFile | undefined {
    return this.tasks.get(taskId)?.get(file);
  }

  record(taskId: string, file: string, seen: SeenFile): void {
    const files = this.tasks.get(taskId) ?? new Map<string, SeenFile>();
    putNewest(this.tasks, taskId, files, MAX_TASKS);
    putNewest(files, file, seen, MAX_FILES);
  }

  /** Forgets a task that has ended. */
  forget(taskId: string): void {
    this.tasks.delete(taskId);
  }

  /** Runs changes of one file after one another: tasks of a tree share files, and check and write must not be torn apart. */
  async exclusively<T>(file: string, change: () => Promise<T>): Promise<T> {
    const before = this.locks.get(file) ?? Promise.resolve();
    // A failure is its own caller's; the next in line starts all the same.
    const result = before.then(change, change);
    const settled = result.catch(() => undefined);
    this.locks.set(file, settled);
    try {
      return await result;
    } finally {
      if (this.locks.get(file) === settled) this.locks.delete(file);
    }
  }
}

/** Maps keep their order of insertion, so the first key is the oldest. */
function putNewest<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
