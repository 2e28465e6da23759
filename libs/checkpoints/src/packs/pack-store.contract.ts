/** What every store of packs must do; each implementation runs it. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { PackGone, type PackContent, type PackInfo, type PackStore } from './pack-store.js';

export function packStoreContract(name: string, make: () => Promise<PackStore>): void {
  describe(`the pack store ${name}`, () => {
    let packs: PackStore;
    /** Stores may be shared by several runs of the suite. */
    let line: string;
    let lines = 0;

    beforeEach(async () => {
      packs = await make();
      lines += 1;
      line = `line-${process.pid}-${Date.now()}-${lines}`;
    });

    const pack = (id: string, base: string | null = null): PackInfo => ({
      id,
      line,
      holds: [`commit-${id}`],
      base,
    });

    it('gives back what was put, byte by byte, and counts it', async () => {
      const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251));
      const stored = await packs.put(pack('one'), pieces(bytes, 70_000));
      expect(stored).toEqual({ ...pack('one'), bytes: bytes.length });
      expect((await read(packs, line, 'one')).equals(bytes)).toBe(true);
    });

    it('keeps an empty pack', async () => {
      await packs.put(pack('empty'), pieces(Buffer.alloc(0), 1));
      expect(await read(packs, line, 'empty')).toHaveLength(0);
    });

    it('lists the packs of a line in the order in which they came', async () => {
      for (const id of ['c', 'a', 'b']) await packs.put(pack(id), pieces(Buffer.from(id), 1));
      await packs.put({ ...pack('x'), line: `${line}-other` }, pieces(Buffer.from('x'), 1));
      expect((await packs.list(line)).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
      expect(await packs.list(`${line}-none`)).toEqual([]);
    });

    it('leaves a pack as it is when it is put again', async () => {
      await packs.put(pack('one'), pieces(Buffer.from('same'), 2));
      await packs.put(pack('one'), pieces(Buffer.from('same'), 3));
      expect(await packs.list(line)).toHaveLength(1);
      expect((await read(packs, line, 'one')).toString()).toBe('same');
    });

    it('stores nothing of a pack whose content breaks off', async () => {
      await expect(packs.put(pack('broken'), breaking())).rejects.toThrow('broke off');
      expect(await packs.list(line)).toEqual([]);
      await expect(read(packs, line, 'broken')).rejects.toThrow(PackGone);
    });

    it('puts one pack in the place of others', async () => {
      await packs.put(pack('one'), pieces(Buffer.from('1'), 1));
      await packs.put(pack('two', 'commit-one'), pieces(Buffer.from('2'), 1));
      const all = { ...pack('all'), holds: ['commit-one', 'commit-two'] };
      await packs.replace(['one', 'two'], all, pieces(Buffer.from('12'), 1));
      expect(await packs.list(line)).toEqual([{ ...all, bytes: 2 }]);
      await expect(read(packs, line, 'one')).rejects.toThrow(PackGone);
    });

    it('keeps the others when the one that is to replace them breaks off', async () => {
      await packs.put(pack('one'), pieces(Buffer.from('1'), 1));
      await expect(packs.replace(['one'], pack('all'), breaking())).rejects.toThrow('broke off');
      expect((await packs.list(line)).map(({ id }) => id)).toEqual(['one']);
    });

    it('removes packs and lines, and nothing for those that are gone', async () => {
      await packs.put(pack('one'), pieces(Buffer.from('1'), 1));
      await packs.put(pack('two'), pieces(Buffer.from('2'), 1));
      await packs.remove(line, ['one', 'never']);
      expect((await packs.list(line)).map(({ id }) => id)).toEqual(['two']);
      await packs.removeLine(line);
      await packs.removeLine(line);
      expect(await packs.list(line)).toEqual([]);
    });
  });
}

async function read(packs: PackStore, line: string, id: string): Promise<Buffer> {
  return buffer(Readable.from(packs.read(line, id)));
}

async function* pieces(bytes: Buffer, size: number): PackContent {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaking(): PackContent {
  yield Buffer.from('the first half');
  throw new Error('broke off');
}
