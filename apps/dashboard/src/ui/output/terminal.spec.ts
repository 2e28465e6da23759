/** Output as a terminal would leave it: colours, overwritten lines, and every letter that is not a control. */
import { describe, expect, it } from '@jest/globals';
import { cut, linesOf, spansOf } from './terminal.js';

const ESC = '\u001b';
const shown = (output: string) =>
  spansOf(linesOf(output)).map((spans) => spans.map(({ text }) => text).join(''));
const marked = (output: string) =>
  spansOf(linesOf(output)).map((spans) =>
    spans.map(({ text, className, color }) => [text, color ?? className]),
  );

describe('the lines of an output', () => {
  it('are shown to the letter, angle brackets included', () => {
    expect(shown('Token: <abc> Map<String, int> a<b\n\n  end')).toEqual([
      'Token: <abc> Map<String, int> a<b',
      '',
      '  end',
    ]);
  });

  it('hold the last state of a line that was written over and over', () => {
    const bar = Array.from(
      { length: 2_000 },
      (_, index) => `${ESC}[2K[${'#'.repeat(index % 30)}] ${index + 1}`,
    );
    expect(shown(`start\r\n${bar.join('\r')}\r\nend`)).toEqual(['start', `[${'#'.repeat(19)}] 2000`, 'end']);
    expect(shown(`half\r`)).toEqual(['half']);
    expect(shown('ab\b\bcd')).toEqual(['cd']);
  });

  it('leave out what only a terminal understands, also when it is cut off', () => {
    expect(
      shown(`${ESC}]0;title\u0007a${ESC}[2Jb${ESC}[?25l${ESC}]8;;https://e.test${ESC}\\link${ESC}[1;3`),
    ).toEqual(['ablink']);
    expect(shown(`a\u0000b\u0085${ESC}`)).toEqual(['ab']);
  });
});

describe('the colours of an output', () => {
  it('are names for what the theme has, and values for the rest', () => {
    expect(
      marked(
        `${ESC}[31mred${ESC}[0m ${ESC}[1;92mok${ESC}[0m ${ESC}[38;5;208mdeep${ESC}[38;2;1;2;3mtrue${ESC}[39m.`,
      ),
    ).toEqual([
      [
        ['red', 'ansi-red'],
        [' ', ''],
        ['ok', 'ansi-green ansi-bold'],
        [' ', ''],
        ['deep', 'rgb(255, 135, 0)'],
        ['true', 'rgb(1, 2, 3)'],
        ['.', ''],
      ],
    ]);
  });

  it('go on to the next line and over lines that are not shown, and never into another output', () => {
    const lines = linesOf(`${ESC}[32mone\ntwo\nthree${ESC}[1m`);
    expect(spansOf(lines.slice(2), lines.slice(0, 2))[0]).toEqual([
      expect.objectContaining({ text: 'three', className: 'ansi-green' }),
    ]);
    expect(marked('plain')).toEqual([[['plain', '']]]);
  });

  it('are cut when they are longer than one can look at, within a colour too', () => {
    const [spans = []] = spansOf(linesOf(`${ESC}[32m${'a'.repeat(30)}${ESC}[31m${'b'.repeat(30)}`));
    const { shown: seen, left } = cut(spans, 40);
    expect(seen.map(({ text }) => text).join('')).toBe('a'.repeat(30) + 'b'.repeat(10));
    expect(left).toBe(20);
    expect(cut(spans, 60)).toEqual({ shown: spans, left: 0 });
  });

  it('take no longer than they are long, erased letters included', () => {
    expect(shown(`${'x\b'.repeat(200_000)}done`)).toEqual(['done']);
  });
});
