/** What every implementation of the `PackStore` port must do. Run by each of them in its own spec. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PackGone, type PackContent, type PackInfo, type PackStore } from '../ports/pack-store.js';

export function packStoreContract(name: string, make: () => Promise<PackStore>): void {
  describe(`a store of packs ${name}`, () => {
    let packs: PackStore;
    let line: string;

    beforeEach(async () => {
      packs = await make();
      // Several runs of the suite may share a store.
      line = `line-${Math.random().toString(36).slice(2)}`;
    });

    const pack = (id: string, base: string | null = null): PackInfo => ({
      id,
      line,
      holds: [`commit-${id}`],
      base,
    });
    const put = (id: string, text = id) => packs.put(pack(id), pieces(bytesOf(text), 1));
    const ids = async () => (await packs.list(line)).map(({ id }) => id);

    it('gives back what was put, byte by byte, and counts it', async () => {
      const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251);
      const stored = await packs.put(pack('one'), pieces(bytes, 70_000));
      expect(stored).toEqual({ ...pack('one'), bytes: bytes.length });
      const back = await read(packs, line, 'one');
      expect([back.length, back.findIndex((byte, at) => byte !== at % 251)]).toEqual([bytes.length, -1]);
    });

    it('keeps an empty pack', async () => {
      await put('empty', '');
      expect(await read(packs, line, 'empty')).toHaveLength(0);
    });

    it('lists the packs of a line in the order in which they came', async () => {
      for (const id of ['c', 'a', 'b']) await put(id);
      await packs.put({ ...pack('x'), line: `${line}-other` }, pieces(bytesOf('x'), 1));
      expect(await packs.list(line)).toEqual(['c', 'a', 'b'].map((id) => ({ ...pack(id), bytes: 1 })));
      expect(await packs.list(`${line}-none`)).toEqual([]);
    });

    it('leaves a pack as it is when it is put again', async () => {
      await put('one', 'same');
      await put('one', 'same');
      expect(await ids()).toEqual(['one']);
      expect(textOf(await read(packs, line, 'one'))).toBe('same');
    });

    it('stores nothing of a pack whose content breaks off', async () => {
      await expect(packs.put(pack('broken'), breaking())).rejects.toThrow('broke off');
      expect(await ids()).toEqual([]);
      await expect(read(packs, line, 'broken')).rejects.toThrow(PackGone);
    });

    it('puts one pack in the place of others', async () => {
      await put('one');
      await put('two');
      const all = { ...pack('all'), holds: ['commit-one', 'commit-two'] };
      await packs.replace(['one', 'two'], all, pieces(bytesOf('12'), 1));
      expect(await packs.list(line)).toEqual([{ ...all, bytes: 2 }]);
      await expect(read(packs, line, 'one')).rejects.toThrow(PackGone);
    });

    it('keeps the others when the one that is to replace them breaks off', async () => {
      await put('one');
      await expect(packs.replace(['one'], pack('all'), breaking())).rejects.toThrow('broke off');
      expect(await ids()).toEqual(['one']);
    });

    it('sums up its lines', async () => {
      await put('one');
      await put('three');
      await packs.put({ ...pack('x'), line: `${line}-other` }, pieces(bytesOf('x'), 1));
      const found = (await packs.lines()).filter((each) => each.line.startsWith(line));
      expect([...found].sort((a, b) => a.line.length - b.line.length)).toEqual([
        { line, packs: 2, bytes: 8 },
        { line: `${line}-other`, packs: 1, bytes: 1 },
      ]);
    });

    it('removes packs and lines, and does nothing for those that are gone', async () => {
      await put('one');
      await put('two');
      await packs.remove(line, ['one', 'never']);
      expect(await ids()).toEqual(['two']);
      await packs.removeLine(line);
      await packs.removeLine(line);
      expect(await ids()).toEqual([]);
    });
  });
}

async function read(packs: PackStore, line: string, id: string): Promise<Uint8Array> {
  const bytes: number[] = [];
  for await (const piece of packs.read(line, id)) for (const byte of piece) bytes.push(byte);
  return Uint8Array.from(bytes);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

async function* pieces(bytes: Uint8Array, size: number): PackContent {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaking(): PackContent {
  yield bytesOf('the first half');
  throw new Error('broke off');
}
