/** What one message of a stream, or one row of a page of events, turns out to be. */
import { DeltaEvent, TaskEvent, type LiveDelta } from '@bullpen/contracts';
import { z } from 'zod';

/** A durable event; null is one that this version does not know: newer gateways may send more kinds. */
export interface Stored {
  readonly kind: 'stored';
  readonly type: string;
  readonly taskId: string;
  readonly seq: number;
  readonly event: TaskEvent | null;
}

export type Received =
  | Stored
  | { readonly kind: 'live'; readonly type: string; readonly delta: LiveDelta | null }
  /** Nothing that a gateway says: it was damaged on its way. */
  | { readonly kind: 'damaged' };

const Delta = z.intersection(
  DeltaEvent,
  z.object({ taskId: z.string(), rootId: z.string(), afterSeq: z.int() }),
) as unknown as z.ZodType<LiveDelta>;

const Named = z.object({ type: z.string() });
const Placed = z.object({ taskId: z.string(), seq: z.int().positive() });

/** For text from a stream; `damaged` where it is no JSON. */
export function parseReceived(text: string): Received {
  try {
    return receivedOf(JSON.parse(text));
  } catch {
    return { kind: 'damaged' };
  }
}

/** For data that is parsed already. What this version does not know is kept as far as it can be placed, never refused. */
export function receivedOf(data: unknown): Received {
  const named = Named.safeParse(data).data;
  if (named === undefined) return { kind: 'damaged' };
  const { type } = named;
  const placed = Placed.safeParse(data).data;
  return placed === undefined
    ? { kind: 'live', type, delta: Delta.safeParse(data).data ?? null }
    : { kind: 'stored', type, ...placed, event: TaskEvent.safeParse(data).data ?? null };
}
