/** Stores no more than is allowed: for one line, and for all. */
import type { PackContent, PackInfo, PackStore, StoredLine, StoredPack } from '@bullpen/core';

export interface Quota {
  /** Most bytes of a line; null: no limit. */
  readonly line: number | null;
  /** Most bytes of all lines; null: no limit. */
  readonly all: number | null;
}

export class OverQuota extends Error {
  override readonly name = 'OverQuota';
}

/** So long a sum of all lines is believed. */
const FRESH_MS = 30_000;

/** What is stored already may go a little over: how long a pack is shows when it is written. */
export class QuotaPacks implements PackStore {
  private all: { readonly bytes: number; readonly at: number } | null = null;

  constructor(
    private readonly packs: PackStore,
    private readonly quota: Quota,
  ) {}

  /** Throws `OverQuota`. */
  async put(pack: PackInfo, content: PackContent): Promise<StoredPack> {
    const { line, all } = this.quota;
    if (line !== null) refuse(bytesOf(await this.packs.list(pack.line)), line, 'of this task');
    if (all !== null) refuse(await this.bytesOfAll(), all, 'of all tasks');
    return this.packs.put(pack, content);
  }

  /** Makes less of what there is: never refused. */
  async replace(dropped: readonly string[], pack: PackInfo, content: PackContent): Promise<StoredPack> {
    return this.packs.replace(dropped, pack, content);
  }

  async list(line: string): Promise<readonly StoredPack[]> {
    return this.packs.list(line);
  }

  async lines(): Promise<readonly StoredLine[]> {
    return this.packs.lines();
  }

  read(line: string, id: string): PackContent {
    return this.packs.read(line, id);
  }

  async remove(line: string, ids: readonly string[]): Promise<void> {
    return this.packs.remove(line, ids);
  }

  async removeLine(line: string): Promise<void> {
    return this.packs.removeLine(line);
  }

  private async bytesOfAll(): Promise<number> {
    if (this.all === null || Date.now() - this.all.at > FRESH_MS)
      this.all = { bytes: bytesOf(await this.packs.lines()), at: Date.now() };
    return this.all.bytes;
  }
}

function bytesOf(stored: readonly { readonly bytes: number }[]): number {
  return stored.reduce((sum, { bytes }) => sum + bytes, 0);
}

function refuse(bytes: number, most: number, whose: string): void {
  if (bytes >= most)
    throw new OverQuota(
      `the checkpoints ${whose} have ${bytes} bytes; ${most} are the most that may be stored`,
    );
}
