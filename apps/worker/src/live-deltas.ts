/** Deltas on their way to watchers: merged to what eyes can see, and never after the row that makes them obsolete. */
import type { DeltaEvent, LiveDelta } from '@bullpen/contracts';
import { DeltaCoalescer, type EventBus } from '@bullpen/queue';

interface Place {
  readonly tenantId: string;
  readonly rootId: string;
  readonly seq: number;
}

export class LiveDeltas {
  private readonly coalescer: DeltaCoalescer;
  /** Where each running task stands: its newest durable event. */
  private readonly places = new Map<string, Place>();

  constructor(bus: Pick<EventBus, 'publish'>) {
    this.coalescer = new DeltaCoalescer({
      emit: (delta: LiveDelta) =>
        bus.publish({ kind: 'delta', tenantId: this.places.get(delta.taskId)?.tenantId ?? '', delta }),
    });
  }

  push(taskId: string, delta: DeltaEvent): void {
    const place = this.places.get(taskId);
    if (place === undefined) return;
    const { type, data } = delta;
    // Written out: a spread here took longer than all the rest.
    this.coalescer.push({ type, data, taskId, rootId: place.rootId, afterSeq: place.seq } as LiveDelta);
  }

  /** Rows were stored: what waits goes out first, later deltas name the new place. */
  settle(rows: readonly { taskId: string; tenantId: string; rootId: string; seq: number }[]): void {
    for (const { taskId, ...place } of rows) {
      this.coalescer.flush(taskId);
      this.places.delete(taskId); // Re-inserted at the end: the map is in order of use.
      this.places.set(taskId, place);
    }
    for (const oldest of this.places.keys()) {
      if (this.places.size <= MAX_PLACES) break;
      this.places.delete(oldest);
    }
  }
}

/** Many more than one worker runs at a time. */
const MAX_PLACES = 10_000;
