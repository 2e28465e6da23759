/**
 * Packs of checkpoints in the database, in chunks. Each chunk has a transaction of its own: one that stayed open for a whole pack would hold up
 * everything that waits for the oldest open transaction. Until all are there the pack goes by a name that nobody asks for.
 */
import { randomUUID } from 'node:crypto';
import {
  PackGone,
  type PackContent,
  type PackInfo,
  type PackStore,
  type StoredLine,
  type StoredPack,
} from '@bullpen/core';
import type { Pool } from 'pg';
import { inTransaction } from '../database/transaction.js';

const CHUNK_BYTES = 512 * 1_024;
/** The size of a pack that is not all there yet. */
const UNFINISHED = -1;

interface PackRow {
  id: string;
  line: string;
  holds: string[];
  base: string | null;
  bytes: string;
}

export class PostgresPackStore implements PackStore {
  constructor(private readonly pool: Pool) {}

  async put(pack: PackInfo, content: PackContent): Promise<StoredPack> {
    return this.replace([], pack, content);
  }

  async replace(dropped: readonly string[], pack: PackInfo, content: PackContent): Promise<StoredPack> {
    await this.removeCutOff(pack.line);
    const upload = `upload-${randomUUID()}`;
    await this.pool.query(
      'INSERT INTO checkpoint_packs (line, id, holds, base, bytes) VALUES ($1, $2, $3, $4, $5)',
      [pack.line, upload, pack.holds, pack.base, UNFINISHED],
    );
    try {
      const bytes = await this.upload(pack.line, upload, content);
      await inTransaction(this.pool, async (client) => {
        // One that is there already stays as it is.
        await client.query(
          `UPDATE checkpoint_packs SET id = $3, bytes = $4 WHERE line = $1 AND id = $2
             AND NOT EXISTS (SELECT FROM checkpoint_packs WHERE line = $1 AND id = $3)`,
          [pack.line, upload, pack.id, bytes],
        );
        const others = dropped.filter((id) => id !== pack.id);
        await client.query(REMOVE, [pack.line, others]);
      });
      return { ...pack, bytes };
    } finally {
      await this.remove(pack.line, [upload]);
    }
  }

  async list(line: string): Promise<readonly StoredPack[]> {
    const { rows } = await this.pool.query<PackRow>(
      'SELECT line, id, holds, base, bytes FROM checkpoint_packs WHERE line = $1 AND bytes <> $2 ORDER BY number',
      [line, UNFINISHED],
    );
    return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
  }

  async lines(): Promise<readonly StoredLine[]> {
    const { rows } = await this.pool.query<{ line: string; packs: number; bytes: string }>(
      `SELECT line, count(*)::int AS packs, sum(bytes) AS bytes FROM checkpoint_packs WHERE bytes <> $1 GROUP BY line`,
      [UNFINISHED],
    );
    return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
  }

  async *read(line: string, id: string): PackContent {
    const { rows } = await this.pool.query<{ bytes: string }>(
      'SELECT bytes FROM checkpoint_packs WHERE line = $1 AND id = $2 AND bytes <> $3',
      [line, id, UNFINISHED],
    );
    const [pack] = rows;
    if (pack === undefined) throw new PackGone(line, id);
    let left = Number(pack.bytes);
    for (let part = 0; left > 0; part += 1) {
      const chunks = await this.pool.query<{ content: Buffer }>(
        'SELECT content FROM checkpoint_pack_chunks WHERE line = $1 AND pack_id = $2 AND part = $3',
        [line, id, part],
      );
      const content = chunks.rows[0]?.content;
      // Removed or replaced since.
      if (content === undefined) throw new PackGone(line, id);
      left -= content.length;
      yield content;
    }
  }

  async remove(line: string, ids: readonly string[]): Promise<void> {
    await this.pool.query(REMOVE, [line, ids]);
  }

  async removeLine(line: string): Promise<void> {
    await this.pool.query('DELETE FROM checkpoint_packs WHERE line = $1', [line]);
  }

  /** How many bytes of content came. */
  private async upload(line: string, id: string, content: PackContent): Promise<number> {
    let bytes = 0;
    let part = 0;
    for await (const chunk of chunksOf(content)) {
      await this.pool.query(
        'INSERT INTO checkpoint_pack_chunks (line, pack_id, part, content) VALUES ($1, $2, $3, $4)',
        [line, id, part, chunk],
      );
      bytes += chunk.length;
      part += 1;
    }
    return bytes;
  }

  /** What a process left that died before its pack was whole. */
  private async removeCutOff(line: string): Promise<void> {
    await this.pool.query(
      `DELETE FROM checkpoint_packs WHERE line = $1 AND bytes = $2 AND created_at < now() - interval '1 day'`,
      [line, UNFINISHED],
    );
  }
}

/** Its chunks go with a pack. */
const REMOVE = 'DELETE FROM checkpoint_packs WHERE line = $1 AND id = ANY ($2)';

/** The same bytes in pieces of one size, for the last one less. */
async function* chunksOf(content: PackContent): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < CHUNK_BYTES) continue;
    const whole = Buffer.concat(held);
    let at = 0;
    for (; whole.length - at >= CHUNK_BYTES; at += CHUNK_BYTES) yield whole.subarray(at, at + CHUNK_BYTES);
    held = [whole.subarray(at)];
    bytes = whole.length - at;
  }
  if (bytes > 0) yield Buffer.concat(held);
}
