/** The indexes of a process: one for each workspace, few at a time, with one pool of threads. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CodeIndex, type View } from './code-index.js';
import { FactsStore } from './facts-store.js';
import { ParsePool } from './parse-pool.js';

/** An index of a large workspace takes some hundred megabytes. */
const MOST_OPEN = 4;

export class CodeIndexes {
  private readonly open = new Map<string, CodeIndex>();
  private readonly pool = new ParsePool();

  /** `folder`: for what was read before; null keeps nothing between processes. */
  constructor(private readonly folder: string | null) {}

  /** The workspace as it is on disk now. Throws the signal's reason when it is aborted. */
  async viewOf(root: string, signal: AbortSignal): Promise<View> {
    const index = this.open.get(root) ?? new CodeIndex(root, { pool: this.pool, store: this.storeOf(root) });
    // The one that was used last is the last to go.
    this.open.delete(root);
    this.open.set(root, index);
    const [oldest] = this.open.keys();
    if (this.open.size > MOST_OPEN && oldest !== undefined) this.open.delete(oldest);
    await index.refresh(signal);
    return index.view();
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private storeOf(root: string): FactsStore | null {
    if (this.folder === null) return null;
    const name = createHash('sha256').update(root).digest('hex').slice(0, 24);
    return new FactsStore(join(this.folder, `${name}.facts`));
  }
}
