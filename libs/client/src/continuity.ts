/**
 * Keeps the durable events of each task in order and complete. They are numbered without gaps, so whatever lost one, a number
 * that is left out shows it: then the missing ones are read from the record before the stream goes on.
 */
import type { TaskEvent } from '@bullpen/contracts';
import { z } from 'zod';
import { receivedOf, type Stored } from './received.js';
import type { Transport } from './transport.js';

/** Not `EventPage`: one event that this version does not know must not hide the others of its page. */
const RawPage = z.object({ data: z.array(z.unknown()), hasMore: z.boolean() });
const PAGE = 200;

export class Continuity {
  readonly #transport: Transport;
  readonly #start: number | null;
  #lastId: string | undefined;
  readonly #given = new Map<string, { readonly first: number; readonly last: number }>();

  /**
   * `start`: the number up to which every task is known before its first event here; null when nobody can tell. `after`: the
   * place that the caller names, if any.
   */
  constructor(transport: Transport, start: number | null, after: string | number | undefined) {
    this.#transport = transport;
    this.#start = start;
    this.#lastId = after === undefined ? undefined : String(after);
  }

  /** Where a new connection goes on. Never from a delta: its id says how far the gateway was, and not how far this reader is. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Remembers where a stream began that was asked for no place, so that it need not begin anew elsewhere. */
  startAt(id: string | null): void {
    this.#lastId ??= id ?? undefined;
  }

  /** The event, after those that are missing before it; nothing when it was given before. Throws what a request throws. */
  async *inOrder(
    stored: Stored,
    id: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TaskEvent> {
    if (this.#isGap(stored)) yield* this.#missingBefore(stored, signal);
    if (this.#isGap(stored))
      this.#transport.leftOut(`events of ${stored.taskId} before its ${stored.seq}th: they are not stored`);
    yield* this.#give(stored);
    this.#lastId = id ?? this.#lastId;
  }

  /** Says that something came that this version cannot give. */
  leaveOut({ type }: { readonly type: string }): void {
    this.#transport.leftOut(`events of a kind that this version does not know: ${type}`);
  }

  /** What the record has between the last event that was given and this one. */
  async *#missingBefore(stored: Stored, signal: AbortSignal | undefined): AsyncGenerator<TaskEvent> {
    const { taskId, seq } = stored;
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/events`;
    for (let more = true; more && this.#isGap(stored);) {
      const after = this.#lastOf(taskId) ?? 0;
      const query = { after, limit: PAGE };
      const page = await this.#transport.call({ method: 'GET', path, query, answer: RawPage, signal });
      const missing = page.data
        .map(receivedOf)
        .filter((row) => row.kind === 'stored')
        .filter((row) => row.seq > after && row.seq < seq);
      for (const row of missing) yield* this.#give(row);
      more = page.hasMore && missing.length > 0;
    }
  }

  *#give(stored: Stored): Generator<TaskEvent> {
    const { taskId, seq } = stored;
    const given = this.#given.get(taskId);
    // One from before the first is no repeat: a stream that began in the middle gives tasks in the order of their transactions.
    if (given && seq >= given.first && seq <= given.last) return;
    if (!given || seq > given.last) this.#given.set(taskId, { first: given?.first ?? seq, last: seq });
    if (stored.event !== null) yield stored.event;
    else this.leaveOut(stored);
  }

  #isGap({ taskId, seq }: Stored): boolean {
    const last = this.#lastOf(taskId);
    return last !== null && seq > last + 1;
  }

  #lastOf(taskId: string): number | null {
    return this.#given.get(taskId)?.last ?? this.#start;
  }
}
