/**
 * The transcript of one task for components: its newest events first, older ones when they are asked for, live ones as they come. What
 * changed is told at most once a frame, however many pieces a model writes.
 */
import { isStored, TranscriptModel, type Row, type StreamItem } from '@bullpen/client';
import type { EventPage, TodoItem } from '@bullpen/contracts';

/** Reads so many events after a number. */
export type ReadEvents = (after: number, limit: number) => Promise<EventPage>;

export interface Snapshot {
  readonly stored: readonly Row[];
  readonly live: readonly Row[];
  readonly todos: readonly TodoItem[] | null;
  /** So many events are older than all that is shown. */
  readonly older: number;
  readonly state: 'opening' | 'open' | 'failed';
  readonly readsOlder: boolean;
  readonly error: Error | null;
}

const NEWEST = 50;
const OLDER = 100;
/** The most that one request gives. */
const PAGE = 200;

export class TranscriptStore {
  readonly model: TranscriptModel;
  private readonly listeners = new Set<() => void>();
  private state: Snapshot['state'] = 'opening';
  private reading: Promise<void> | null = null;
  private filling = false;
  private error: Error | null = null;
  private cancelFrame: (() => void) | null = null;
  snapshot: Snapshot;

  constructor(
    taskId: string,
    private readonly read: ReadEvents,
  ) {
    this.model = new TranscriptModel(taskId);
    this.snapshot = this.take();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Reads the newest events; `newest` is the number of the last one, as far as is known. */
  async open(newest: number): Promise<void> {
    try {
      await this.readAfter(Math.max(0, newest - NEWEST));
      this.state = 'open';
      this.error = null;
    } catch (error) {
      this.state = 'failed';
      this.error = error as Error;
    }
    this.tell();
  }

  /** Takes what the live stream gives, of whatever task. */
  readonly hear = (item: StreamItem): void => {
    if (!this.model.apply(item)) return;
    this.tellSoon();
    if (isStored(item) && this.state === 'open') void this.fill();
  };

  /** Reads what came since, after a connection that was lost. */
  async catchUp(): Promise<void> {
    if (this.state !== 'open') return;
    await this.readAfter(this.model.lastSeq).catch(() => undefined);
    this.tell();
  }

  /** Reads events before those that are shown; the same reading for everyone who asks meanwhile. */
  readOlder(count = OLDER): Promise<void> {
    this.reading ??= this.readBefore(count).finally(() => {
      this.reading = null;
      this.tell();
    });
    this.tellSoon();
    return this.reading;
  }

  /** Reads all that is older, for a search. Stops when the signal fires. */
  async readAll(signal: AbortSignal): Promise<void> {
    await this.readBack(1, signal);
  }

  /** Reads so far back that this event is there. Stops when the signal fires. */
  async readBack(seq: number, signal: AbortSignal): Promise<void> {
    while (this.older >= seq && !signal.aborted) await this.readOlder(PAGE);
  }

  private get older(): number {
    return Number.isFinite(this.model.firstSeq) ? this.model.firstSeq - 1 : 0;
  }

  private async readBefore(count: number): Promise<void> {
    const { firstSeq } = this.model;
    if (this.older === 0) return;
    const after = Math.max(0, firstSeq - 1 - count);
    try {
      const page = await this.read(after, Math.min(PAGE, firstSeq - 1 - after));
      for (const event of page.data) this.model.apply(event);
      this.error = null;
    } catch (error) {
      this.error = error as Error;
      throw error;
    }
  }

  private async readAfter(seq: number): Promise<void> {
    for (let after = seq, more = true; more;) {
      const page = await this.read(after, PAGE);
      for (const event of page.data) this.model.apply(event);
      more = page.hasMore && page.data.length > 0;
      after = page.data.at(-1)?.seq ?? after;
    }
  }

  /** A number that is left out shows that something did not come: it is read from the record. */
  private async fill(): Promise<void> {
    if (this.filling) return;
    this.filling = true;
    try {
      for (let hole = this.model.hole; hole !== null;) {
        const page = await this.read(hole.after, Math.min(PAGE, hole.before - hole.after - 1));
        for (const event of page.data) this.model.apply(event);
        const next = this.model.hole;
        hole = next?.after === hole.after ? null : next;
      }
    } catch {
      // The next event tries again, and so does the next connection.
    } finally {
      this.filling = false;
      this.tellSoon();
    }
  }

  private tellSoon(): void {
    this.cancelFrame ??= nextFrame(() => this.tell());
  }

  private tell(): void {
    this.cancelFrame?.();
    this.cancelFrame = null;
    this.snapshot = this.take();
    for (const listener of this.listeners) listener();
  }

  private take(): Snapshot {
    const { stored, live, todos } = this.model;
    const { state, error, older } = this;
    return { stored, live, todos, older, state, readsOlder: this.reading !== null, error };
  }
}

/** A page that nobody sees gets no frames; it still has to keep up. */
const HIDDEN_MS = 500;

function nextFrame(act: () => void): () => void {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(act, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(act);
  return () => cancelAnimationFrame(frame);
}
