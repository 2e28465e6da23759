/**
 * Who has seen how much of which content of which file, so that no agent overwrites what it does not know. In memory: after a change
 * of worker it is empty, and the rules for files that were not read apply.
 */
import type { Place } from './text-page.js';

/** A stretch of a text that was shown. `to` is the place behind it; null: the end of the file. */
export interface Stretch {
  readonly from: Place;
  readonly to: Place | null;
}

/** What a task last saw in a file. */
export interface SeenFile {
  /** Fingerprint of the content (see `file-content.ts`). */
  readonly fingerprint: string;
  /** The call that wrote this content; null when it was read. */
  readonly writtenBy: string | null;
  /** Where the task has not looked yet, the first such place; null: it knows all of it. */
  readonly unseen: Place | null;
}

/** A file as it is kept: the stretches that were seen, in order, no two of which touch. */
interface Kept {
  readonly fingerprint: string;
  readonly writtenBy: string | null;
  readonly seen: readonly Stretch[];
}

const START: Place = { line: 1, column: 1 };
const WHOLE: Stretch = { from: START, to: null };

/** Bounds of memory: tasks that have gone quiet longest, and files seen longest ago, are forgotten first. */
const MAX_TASKS = 1_000;
const MAX_FILES = 5_000;

/** One for a worker. All paths are real absolute paths. */
export class FileTracker {
  private readonly tasks = new Map<string, Map<string, Kept>>();
  private readonly locks = new Map<string, Promise<unknown>>();

  /** What the task saw last; undefined when it neither read nor wrote the file here. */
  seen(taskId: string, file: string): SeenFile | undefined {
    const kept = this.tasks.get(taskId)?.get(file);
    if (!kept) return undefined;
    const { fingerprint, writtenBy, seen } = kept;
    const first = seen[0];
    const unseen = first && isStart(first.from) ? first.to : START;
    return { fingerprint, writtenBy, unseen };
  }

  /** The task was shown a part of the file. Parts of the same content add up. */
  read(taskId: string, file: string, fingerprint: string, stretch: Stretch): void {
    const before = this.tasks.get(taskId)?.get(file);
    const known = before?.fingerprint === fingerprint ? before : null;
    this.keep(taskId, file, {
      fingerprint,
      writtenBy: null,
      seen: joined([...(known?.seen ?? []), stretch]),
    });
  }

  /** The task wrote all of the file. */
  wrote(taskId: string, file: string, fingerprint: string, callId: string): void {
    this.keep(taskId, file, { fingerprint, writtenBy: callId, seen: [WHOLE] });
  }

  /** The task changed a part of the file. It knows all of it when it did before; else its lines may be others by now. */
  edited(taskId: string, file: string, fingerprint: string, callId: string): void {
    const knewAll = this.seen(taskId, file)?.unseen === null;
    this.keep(taskId, file, { fingerprint, writtenBy: callId, seen: knewAll ? [WHOLE] : [] });
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

  private keep(taskId: string, file: string, kept: Kept): void {
    const files = this.tasks.get(taskId) ?? new Map<string, Kept>();
    putNewest(this.tasks, taskId, files, MAX_TASKS);
    putNewest(files, file, kept, MAX_FILES);
  }
}

function isStart({ line, column }: Place): boolean {
  return line === START.line && column === START.column;
}

/** The same stretches in order, those that overlap or touch as one. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const next of stretches.toSorted((a, b) => compare(a.from, b.from))) {
    const last = all.at(-1);
    if (last && compare(last.to, next.from) >= 0) {
      all[all.length - 1] = { from: last.from, to: compare(last.to, next.to) >= 0 ? last.to : next.to };
    } else all.push(next);
  }
  return all;
}

/** The end of a file lies behind every place. */
function compare(a: Place | null, b: Place | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.line - b.line || a.column - b.column;
}

/** Maps keep their order of insertion, so the first key is the oldest. */
function putNewest<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && !oldest.done) map.delete(oldest.value);
}
