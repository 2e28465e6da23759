/** Pictures and documents in the database: each content once for a tenant, under its digest. */
import { createHash } from 'node:crypto';
import { MediaType, type Media } from '@bullpen/contracts';
import { mediaFacts, type MediaStore } from '@bullpen/core';
import type { Pool } from 'pg';

/** How much of what was read last stays in memory, as base64: each turn of a task sends the same again. */
const REMEMBERED_CHARS = 64 * 1_024 * 1_024;

const FACTS = 'media_type, bytes, width, height, pages';

interface FactsRow {
  media_type: string;
  bytes: number;
  width: number | null;
  height: number | null;
  pages: number | null;
}

export class Attachments implements MediaStore {
  /** Least recently used first. */
  private readonly remembered = new Map<string, string>();
  private chars = 0;

  constructor(private readonly pool: Pool) {}

  async keep(tenantId: string, content: Uint8Array): Promise<Media | null> {
    const facts = mediaFacts(content);
    if (facts === null) return null;
    const media = { sha256: createHash('sha256').update(content).digest('hex'), ...facts };
    const { sha256, mediaType, bytes, width, height, pages } = media;
    // What is there already is not sent again.
    const { rowCount } = await this.pool.query(
      'UPDATE attachments SET kept_at = now() WHERE tenant_id = $1 AND sha256 = $2',
      [tenantId, sha256],
    );
    if (rowCount === 0)
      await this.pool.query(
        `INSERT INTO attachments (tenant_id, sha256, media_type, bytes, width, height, pages, content)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, sha256) DO UPDATE SET kept_at = now()`,
        [tenantId, sha256, mediaType, bytes, width, height, pages, Buffer.from(content)],
      );
    return media;
  }

  describe(tenantId: string, sha256: string): Promise<Media | null> {
    return this.facts(
      `SELECT ${FACTS} FROM attachments WHERE tenant_id = $1 AND sha256 = $2`,
      tenantId,
      sha256,
    );
  }

  /** Describes it for a task that is about to be stored and refers to it: it counts as brought again, so that it stays as long as the task. */
  mention(tenantId: string, sha256: string): Promise<Media | null> {
    const text = `UPDATE attachments SET kept_at = now() WHERE tenant_id = $1 AND sha256 = $2 RETURNING ${FACTS}`;
    return this.facts(text, tenantId, sha256);
  }

  /** The content itself; null when it is not there. */
  async content(tenantId: string, sha256: string): Promise<Buffer | null> {
    const { rows } = await this.pool.query<{ content: Buffer }>(
      'SELECT content FROM attachments WHERE tenant_id = $1 AND sha256 = $2',
      [tenantId, sha256],
    );
    return rows[0]?.content ?? null;
  }

  async read(tenantId: string, sha256: string): Promise<string | null> {
    const key = `${tenantId} ${sha256}`;
    const data = this.remembered.get(key) ?? (await this.content(tenantId, sha256))?.toString('base64');
    if (data === undefined) return null;
    this.remember(key, data);
    return data;
  }

  private async facts(text: string, tenantId: string, sha256: string): Promise<Media | null> {
    const { rows } = await this.pool.query<FactsRow>(text, [tenantId, sha256]);
    const [row] = rows;
    if (row === undefined) return null;
    const { media_type, ...facts } = row;
    return { sha256, mediaType: MediaType.parse(media_type), ...facts };
  }

  private remember(key: string, data: string): void {
    this.forget(key);
    this.remembered.set(key, data);
    this.chars += data.length;
    for (const oldest of this.remembered.keys()) {
      if (this.chars <= REMEMBERED_CHARS) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.chars -= this.remembered.get(key)?.length ?? 0;
    this.remembered.delete(key);
  }
}
