/** What model calls sent and got, of tasks that asked for it to be kept: beside the record, and for some days only. */
import type { Pool } from 'pg';

/** One side of a call: what is kept of its text, and the size of the whole. */
export interface KeptText {
  readonly text: string;
  readonly bytes: number;
}

export class PromptBodies {
  constructor(private readonly pool: Pool) {}

  /** Stores both sides of a call that is on record; of one that is gone, nothing. A call that comes again is what came last. */
  async keep(callId: string, request: KeptText, response: KeptText): Promise<void> {
    await this.pool.query(
      `INSERT INTO model_call_bodies (model_call_id, request, request_bytes, response, response_bytes)
       SELECT id, $2, $3, $4, $5 FROM model_calls WHERE id = $1
       ON CONFLICT (model_call_id) DO UPDATE SET request = excluded.request, request_bytes = excluded.request_bytes,
         response = excluded.response, response_bytes = excluded.response_bytes, kept_at = now()`,
      [callId, request.text, request.bytes, response.text, response.bytes],
    );
  }

  /** Deletes at most `limit` of those that are older than so many days. Says how many. */
  async prune(days: number, limit: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      `DELETE FROM model_call_bodies WHERE model_call_id IN (
         SELECT model_call_id FROM model_call_bodies WHERE kept_at < now() - make_interval(days => $1) ORDER BY kept_at LIMIT $2)`,
      [days, limit],
    );
    return rowCount ?? 0;
  }
}
