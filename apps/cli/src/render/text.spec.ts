import { describe, expect, it } from '@jest/globals';
import { age, ago, count, duration, plural, soon, usd } from './format.js';
import { oneLine, plainText } from './plain-text.js';
import { toolLine } from './tool-line.js';
import { padEnd, truncate, widthOf, wrap } from './width.js';

describe('plainText', () => {
  it('takes out what could steer a terminal and leaves the letters', () => {
    const nasty = 'a\u001b[31mred\u001b[0m \u001b]0;title\u0007b\u001b[2Jc\u009b31md\r\ne\u0008\u0000\u202ef';
    expect(plainText(nasty)).toBe('ared bcd\nef');
  });

  it('keeps tabs, line breaks and letters of all scripts', () => {
    expect(plainText('a\tb\n日本語 🎉 é')).toBe('a\tb\n日本語 🎉 é');
  });

  it('leaves no escape character behind, whatever is cut off', () => {
    for (const part of ['\u001b', '\u001b[', '\u001b]8;;http://x', '\u009d0;t'])
      for (const control of ['\u001b', '\u009b', '\u009d'])
        expect(plainText(`x${part}`)).not.toContain(control);
  });
});

describe('oneLine', () => {
  it('makes one line of many', () => expect(oneLine(' a\n\tb  c ')).toBe('a b c'));
});

describe('widths', () => {
  it('counts columns, not characters', () => {
    expect([widthOf('日本'), widthOf('é'), widthOf('👩‍👩‍👧'), widthOf('\u001b[1mab\u001b[0m')]).toEqual([
      4, 1, 2, 2,
    ]);
  });

  it('cuts between whole letters and never gets wider than asked', () => {
    expect(truncate('Survey of everything', 10)).toBe('Survey of…');
    expect(truncate('日本語日本語', 6)).toBe('日本…');
    expect(truncate('short', 5)).toBe('short');
    expect(truncate('anything', 0)).toBe('');
    expect(padEnd('日', 4)).toBe('日  ');
  });

  it('breaks at spaces, and a long word where it must', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('a abcdefghij b', 5)).toEqual(['a', 'abcde', 'fghij', 'b']);
    expect(wrap('x\n\ny', 5)).toEqual(['x', '', 'y']);
    for (const line of wrap('日本語 '.repeat(9) + 'x'.repeat(50), 7))
      expect(widthOf(line)).toBeLessThanOrEqual(7);
  });
});

describe('numbers', () => {
  it('writes spans of time', () => {
    expect([0, 999, 4_210, 59_999, 65_000, 7_380_000, 277_200_000].map(duration)).toEqual([
      '0 ms', '999 ms', '4.2 s', '59 s', '1m 05s', '2h 03m', '3d 05h',
    ]); // prettier-ignore
  });

  it('writes counts', () => {
    expect([0, 999, 1_000, 12_345, 123_456, 999_949, 999_950, 4_500_000].map(count)).toEqual([
      '0', '999', '1.0k', '12.3k', '123k', '1000k', '1.0M', '4.5M',
    ]); // prettier-ignore
  });

  it('writes money exactly enough, and never nothing for something', () => {
    expect(['0.00', '0.000000001', '0.00012', '0.0123', '0.0999999', '0.1', '1.005', '12345.678'].map(usd)).toEqual([
      '$0.00', '<$0.0001', '$0.0001', '$0.0123', '$0.1000', '$0.10', '$1.01', '$12345.68',
    ]); // prettier-ignore
  });

  it('writes ages and plurals', () => {
    const now = Date.parse('2026-01-02T00:00:00Z');
    expect(['2026-01-01T23:59:58Z', '2026-01-01T23:59:15Z', '2026-01-01T21:00:00Z', '2025-12-01T00:00:00Z'].map((at) => age(at, now))).toEqual(['now', '45s', '3h', '32d']); // prettier-ignore
    expect(['2026-01-01T23:59:58Z', '2026-01-01T23:59:15Z', '2026-01-02T00:00:09Z'].map((at) => ago(at, now))).toEqual(['just now', '45s ago', 'just now']); // prettier-ignore
    expect([0, 4_200].map(soon)).toEqual(['at once', 'in 4.2 s']);
    expect([plural(1, 'task'), plural(0, 'task')]).toEqual(['1 task', '0 tasks']);
  });
});

describe('toolLine', () => {
  it('shows the argument that says most', () => {
    expect(toolLine('read_file', { limit: '5', path: 'src/a.ts' })).toBe('read_file src/a.ts');
    expect(toolLine('execute_command', { command: 'ls\n\u001b[31m-la' })).toBe('execute_command ls -la');
    expect(toolLine('odd', { whatever: 'x' })).toBe('odd x');
    expect(toolLine('none', null)).toBe('none');
  });
});
