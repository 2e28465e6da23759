import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutputBuffer, wholeChars } from './output-buffer.js';

function collect(maxChars: number, pieces: readonly string[]): { text: string; droppedChars: number } {
  const buffer = new OutputBuffer(maxChars);
  for (const piece of pieces) buffer.append(piece);
  return buffer.finish();
}

describe('the output buffer', () => {
  it('keeps a text that fits, however it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 50 }), (pieces) => {
        const whole = pieces.join('');
        expect(collect(Math.max(whole.length * 2, 10), pieces)).toEqual({ text: whole, droppedChars: 0 });
      }),
    );
  });

  it('keeps start and end of a longer text, and counts what is missing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 200, maxLength: 300 }),
        (pieces) => {
          const whole = pieces.join('');
          const { text, droppedChars } = collect(60, pieces);
          const [head = '', tail = ''] = text.split(/\n… \[\d+ characters of output left out here\] …\n/);
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
          expect(head.length + droppedChars + tail.length).toBe(whole.length);
          expect(head.length).toBeGreaterThan(20);
          expect(tail.length).toBeGreaterThan(20);
          expect(text.isWellFormed()).toBe(whole.isWellFormed());
        },
      ),
    );
  });

  it('stays small while millions of pieces pass', () => {
    const buffer = new OutputBuffer(1_000);
    for (let index = 0; index < 1_000_000; index += 1) buffer.append(`${index}\n`);
    const { text, droppedChars } = buffer.finish();
    expect(text.length).toBeLessThan(1_100);
    expect(text.endsWith('999999\n')).toBe(true);
    expect(droppedChars).toBe(6_888_890 - 1_000);
  });

  it('cuts between characters only', () => {
    expect(wholeChars('a👍b', 2)).toBe('a');
    expect(wholeChars('a👍b', 3)).toBe('a👍');
  });
});
