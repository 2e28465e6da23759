import { describe, expect, it } from '@jest/globals';
import { parseDetailedListing, parseListing, parseSearch } from './tool-output.js';

describe('parseDetailedListing', () => {
  it('reads each kind of entry, quoted paths included', () => {
    const text = [
      'apps: 9 entries (showing 1-5)',
      'f 12 340 apps/my file.ts',
      'b - 99 apps/🎉.png',
      'd - - apps/web/',
      'l - - apps/link -> ../x -> y',
      'f 1 2 " lead\\\\slash\\n.txt"',
      '… 4 more entries; continue with offset 5',
      '',
    ].join('\n');
    expect(parseDetailedListing(text)).toEqual({
      total: 9,
      nextOffset: 5,
      entries: [
        { kind: 'file', path: 'apps/my file.ts', lines: 12, bytes: 340 },
        { kind: 'binary', path: 'apps/🎉.png', lines: undefined, bytes: 99 },
        { kind: 'directory', path: 'apps/web', lines: undefined, bytes: undefined },
        { kind: 'link', path: 'apps/link', lines: undefined, bytes: undefined },
        { kind: 'file', path: ' lead\\slash\n.txt', lines: 1, bytes: 2 },
      ],
    });
  });

  it('continues at the last whole line of a page whose middle was cut out', () => {
    const text =
      '.: 90 entries (showing 41-90)\nf 1 2 a\nf 1 2 b\nf 1 2 c-cut-he\n[… 300 characters left out …]\nf 1 2 z';
    expect(parseDetailedListing(text, 40)).toMatchObject({
      entries: [{ path: 'a' }, { path: 'b' }],
      nextOffset: 42,
    });
  });

  it('is undefined for a text that is no listing', () => {
    expect(parseDetailedListing('Error: not found')).toBeUndefined();
    expect(parseDetailedListing('.: 0 entries')).toEqual({ total: 0, entries: [], nextOffset: undefined });
  });
});

describe('parseListing', () => {
  it('does not take a name for details', () => {
    expect(parseListing('.: 1 entry (showing 1-1)\nf 12 34 notes.txt')?.entries).toMatchObject([
      { path: '12 34 notes.txt' },
    ]);
  });
});

describe('parseSearch', () => {
  it('reads matches, also of a path with a colon', () => {
    const text =
      '3 matches in 2 files (showing 1-2)\nsrc/a.ts:3:7: // TODO: a:1:2: b\n"a:b.ts":10:1: TODO\n… 1 more matches; continue with offset 2';
    expect(parseSearch(text)).toEqual({
      total: 3,
      nextOffset: 2,
      notes: [],
      matches: [
        { path: 'src/a.ts', line: 3, column: 7, text: '// TODO: a:1:2: b' },
        { path: 'a:b.ts', line: 10, column: 1, text: 'TODO' },
      ],
    });
  });

  it('reads no matches', () => {
    expect(parseSearch('0 matches')).toEqual({ total: 0, matches: [], notes: [], nextOffset: undefined });
  });

  it('takes notes for what they are, and loses no match in front of them', () => {
    const text =
      '2 matches in 1 files (showing 1-2)\na.ts:1:1: TODO\na.ts:2:1: TODO\n… 3 files could not be read';
    expect(parseSearch(text)).toMatchObject({
      matches: [{ line: 1 }, { line: 2 }],
      notes: ['3 files could not be read'],
      nextOffset: undefined,
    });
  });
});
