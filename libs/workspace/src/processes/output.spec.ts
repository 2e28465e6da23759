/** What becomes of the bytes that a command puts out: kept, read by ranges, shown live and to a model. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LiveOutput } from './live-output.js';
import { MemoryOutput } from './memory-output.js';
import { OutputWriter, type OutputCap } from './output-files.js';
import { decode, OutputDecoder } from './output-text.js';
import { KeptOutput } from './read-output.js';
import { screenText } from './screen-text.js';
import { shownOutput, textPage } from './shown-output.js';

let base: string;
let folder: string;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'output-'));
  folder = path.join(base, 'task', 'proc');
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** Writes pieces, each when the one before is on the disk. */
async function write(pieces: Iterable<Buffer>, cap?: OutputCap): Promise<OutputWriter> {
  const writer = new OutputWriter(folder, cap);
  const slowly = async function* () {
    for (const piece of pieces) {
      yield piece;
      await writer.flushed();
    }
  };
  await writer.drain(Readable.from(slowly(), { objectMode: false, highWaterMark: 1 }), () => undefined);
  return writer;
}

async function kept(): Promise<KeptOutput> {
  const output = await KeptOutput.open(folder);
  if (output === null) throw new Error('nothing is kept');
  return output;
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array));

describe('kept output', () => {
  it('is the same bytes, whatever they are and however they come, in files that only their owner can read', async () => {
    const all = Buffer.concat([Buffer.from('한'.repeat(10_000)), Buffer.from([0, 0xff, 0xe9, 0x1b])]);
    await write(
      Array.from({ length: 100 }, (_, n) => all.subarray(n * 301, n === 99 ? undefined : (n + 1) * 301)),
      {
        pieceBytes: 4_096,
      },
    );
    const output = await kept();
    expect(output.size).toBe(all.length);
    expect(output.leftOut).toEqual([]);
    expect((await output.read(0, all.length)).bytes.equals(all)).toBe(true);
    expect((await output.read(-4, 100)).bytes).toEqual(all.subarray(-4));
    expect((await output.read(all.length + 9, 10)).bytes).toHaveLength(0);
    const names = await readdir(folder);
    expect(names.length).toBeGreaterThan(3);
    const modes = await Promise.all(
      [folder, path.join(folder, '0')].map(async (name) => (await stat(name)).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('keeps the first and the newest half of its cap, and says exactly what is missing', async () => {
    const pieces = Array.from({ length: 1_000 }, (_, n) => Buffer.from(String(n).padStart(9, ' ') + '\n'));
    const whole = Buffer.concat(pieces);
    const writer = await write(pieces, { maxBytes: 2_000, pieceBytes: 100 });
    expect(writer.size).toBe(10_000);
    const output = await kept();
    expect(output.size).toBe(10_000);
    const onDisk = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
    );
    expect(onDisk.reduce((a, b) => a + b)).toBeLessThan(2_000 + 300);
    const [gap = { from: 0, to: 0 }] = output.leftOut;
    expect([gap.from, gap.to > 8_800]).toEqual([1_000, true]);
    expect((await output.read(0, 10_000)).bytes.equals(whole.subarray(0, gap.from))).toBe(true);
    expect((await output.read(gap.from, 10)).from).toBe(gap.to);
    expect((await output.read(gap.to, 10_000)).bytes.equals(whole.subarray(gap.to))).toBe(true);
  });

  it('of a flood stays below its cap, and the flood is read to its end', async () => {
    const chunk = Buffer.alloc(65_536, 'y\n');
    const flood = function* () {
      for (let n = 0; n < 800; n += 1) yield chunk;
    };
    await write(flood(), { maxBytes: 4_194_304, pieceBytes: 262_144 });
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
    );
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(4_194_304 + 9_000_000);
    const output = await kept();
    expect(output.size).toBe(800 * 65_536);
    expect(output.leftOut).toHaveLength(1);
    expect(await shownOutput(folder, 1_000)).toMatch(
      /^(y\n){250}\n… \[52427800 bytes of output left out here\] …\n(y\n){250}$/,
    );
  });

  it('that cannot be written is said, and the command is read all the same', async () => {
    await writeFile(path.join(base, 'file'), '');
    const nowhere = path.join(base, 'file', 'x');
    const writer = new OutputWriter(nowhere);
    await writer.drain(
      Readable.from([Buffer.from('a'), Buffer.from('b')], { objectMode: false }),
      () => undefined,
    );
    expect(writer.size).toBe(2);
    expect(writer.problem?.message).toMatch(/ENOTDIR|EEXIST/);
  });

  it('does not run away from a slow disk: whoever writes it waits', async () => {
    const source = new PassThrough({ highWaterMark: 65_536 });
    const writer = new OutputWriter(folder);
    const done = writer.drain(source, () => undefined);
    let most = 0;
    for (let n = 0; n < 500; n += 1) {
      if (!source.write(Buffer.alloc(65_536)))
        await new Promise<void>((resolve) => source.once('drain', resolve));
      most = Math.max(most, writer['waitingBytes']);
    }
    source.end();
    await done;
    expect((await kept()).size).toBe(500 * 65_536);
    expect(most).toBeLessThan(8 * 1_048_576);
  });
});

describe('output as text', () => {
  it('has no character split, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.array(fc.nat(200), { maxLength: 8 }),
        (text, cuts) => {
          const whole = Buffer.from(text.replaceAll('\0', ''));
          const decoder = new OutputDecoder();
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
            whole.length,
          ];
          const parts = places.slice(1).map((to, at) => decoder.write(whole.subarray(places[at], to)));
          expect(parts.join('') + decoder.end()).toBe(whole.toString());
        },
      ),
    );
  });

  it('has what is no text escaped, and is the same however it is cut', () => {
    expect(decode(Buffer.from([0xe9, 0x00, 0xff, 0x1b, 0x5b, 0x32, 0x4a]))).toBe('\\xe9\\x00\\xff\u001b[2J');
    expect(decode(Buffer.from([0xed, 0xa0, 0x80]))).toBe('\\xed\\xa0\\x80');
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), (pieces) => {
        const decoder = new OutputDecoder();
        const text = pieces.map((piece) => decoder.write(piece)).join('') + decoder.end();
        expect(text).toBe(decode(Buffer.concat(pieces)));
        expect(text.includes('\0') || text.includes('\ufffd')).toBe(false);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  it('gives ranges that begin and end between characters, and together are all of it', async () => {
    const text = '👍한é'.repeat(500);
    await write([Buffer.from(text)]);
    const output = await kept();
    for (const limit of [1, 7, 10, 1_000]) {
      let read = '';
      for (let from = 0; from < output.size;) {
        const page = await textPage(output, from, limit, true);
        read += page.text;
        from = page.to;
      }
      expect(read).toBe(text);
    }
    for (let from = 0; from < 20; from += 1) {
      const page = await textPage(output, from, 30, true);
      expect(page.text).not.toMatch(/\\x|\ufffd/);
      expect(text.startsWith(page.text, text.indexOf(page.text))).toBe(true);
    }
  });

  it('holds a half character back while more may come', async () => {
    await write([Buffer.from([0x61, 0xe2, 0x82])]);
    const output = await kept();
    expect(await textPage(output, 0, 10, false)).toEqual({ text: 'a', from: 0, to: 1 });
    expect(await textPage(output, 0, 10, true)).toEqual({ text: 'a\\xe2\\x82', from: 0, to: 3 });
  });
});

describe('output for a model', () => {
  it.each([
    [
      'a progress bar',
      Array.from({ length: 20_000 }, (_, n) => `\r\u001b[32mLoading ${n}\u001b[0m`).join('') + '\rdone\n',
      'done\n',
    ],
    ['a bar that is wiped', '10%\r\u001b[K20%\r\u001b[Kok\n', 'ok\n'],
    ['several bars at once', 'a 0\nb 0\n\u001b[2A\ra 9\n\rb 9\nend\n', 'a 9\nb 9\nend\n'],
    ['a bar at a column', '\u001b[1G1/3\u001b[1G2/3\u001b[1G3/3\n', '3/3\n'],
    ['backspaces', 'abc\b\b\bxyz\n', 'xyz\n'],
    ['a title', '\u001b]0;title\u0007text', 'text'],
    ['line ends of others', 'a\r\nb\r\r\n', 'a\nb\n'],
    ['a line that is left as it is', 'a\r', 'a'],
    ['other controls', 'a\u0007b\u001bc\u009bd', 'a\\x07b\\x9bd'],
    ['plain text', 'a\tb\n한\n', 'a\tb\n한\n'],
  ])('%s', (_, written, shown) => {
    expect(screenText(written)).toBe(shown);
  });

  it('300 KB in one line, and a million bytes of nothing, take no time worth speaking of', () => {
    // Processor time: on a busy machine the clock says little.
    const before = process.cpuUsage();
    expect(screenText('x'.repeat(300_000))).toHaveLength(300_000);
    expect(decode(Buffer.alloc(1_000_000))).toHaveLength(4_000_000);
    screenText('\r\u001b[1mab\b'.repeat(100_000));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
  });

  it('the first and the last of it, when it is kept in memory', () => {
    const output = new MemoryOutput(20);
    for (const char of '한'.repeat(100)) output.append(Buffer.from(char));
    expect(output.text()).toBe(
      `${'한'.repeat(3)}\n… [282 bytes of output left out here] …\n${'한'.repeat(3)}`,
    );
  });
});

describe('live output', () => {
  it('comes at once and whole, unless it is a flood', async () => {
    const seen: [string, number][] = [];
    const live = new LiveOutput((text, skipped) => seen.push([text, skipped]));
    live.push(Buffer.from([0x61, 0xe2, 0x82]));
    expect(seen).toEqual([['a', 0]]);
    live.push(Buffer.from([0xac]));
    while (seen.length < 2) await sleep(10);
    expect(seen[1]).toEqual(['€', 0]);
    live.end();
  });

  it('of a flood shows the newest whole lines of each moment, and how much it leaves out', () => {
    const seen: [string, number][] = [];
    const live = new LiveOutput((text, skipped) => seen.push([text, skipped]));
    for (let n = 0; n < 10_000; n += 1) live.push(Buffer.from(`line ${String(n).padStart(94, ' ')}\n`));
    live.end();
    const shown = seen.reduce((sum, [text, skipped]) => sum + text.length + skipped, 0);
    expect(shown).toBe(1_000_000);
    expect(seen.reduce((sum, [text]) => sum + text.length, 0)).toBeLessThan(40_000);
    for (const [text] of seen) expect(text).toMatch(/^(line +\d+\n)+$/);
    expect(seen.at(-1)?.[0].endsWith('9999\n')).toBe(true);
  });
});
