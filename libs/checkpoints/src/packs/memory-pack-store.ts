/** Packs in memory: as short-lived as the process. */
import {
  PackGone,
  type PackContent,
  type PackInfo,
  type PackStore,
  type StoredLine,
  type StoredPack,
} from '@bullpen/core';

export class MemoryPackStore implements PackStore {
  private readonly packs = new Map<string, StoredPack & { readonly content: Buffer }>();

  async put(pack: PackInfo, content: PackContent): Promise<StoredPack> {
    return this.replace([], pack, content);
  }

  async replace(dropped: readonly string[], pack: PackInfo, content: PackContent): Promise<StoredPack> {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    const key = keyOf(pack.line, pack.id);
    if (!this.packs.has(key)) this.packs.set(key, { ...pack, bytes: whole.length, content: whole });
    await this.remove(
      pack.line,
      dropped.filter((id) => id !== pack.id),
    );
    return { ...pack, bytes: whole.length };
  }

  async list(line: string): Promise<readonly StoredPack[]> {
    return [...this.packs.values()]
      .filter((pack) => pack.line === line)
      .map(({ content: _content, ...pack }) => pack);
  }

  async lines(): Promise<readonly StoredLine[]> {
    const lines = new Map<string, StoredLine>();
    for (const { line, bytes } of this.packs.values()) {
      const before = lines.get(line);
      lines.set(line, { line, packs: (before?.packs ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes });
    }
    return [...lines.values()];
  }

  async *read(line: string, id: string): PackContent {
    const pack = this.packs.get(keyOf(line, id));
    if (pack === undefined) throw new PackGone(line, id);
    yield pack.content;
  }

  async remove(line: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) this.packs.delete(keyOf(line, id));
  }

  async removeLine(line: string): Promise<void> {
    for (const pack of await this.list(line)) await this.remove(line, [pack.id]);
  }
}

function keyOf(line: string, id: string): string {
  return `${line}\0${id}`;
}
