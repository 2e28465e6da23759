/** Which parts of a text are links. */
import { describe, expect, it } from '@jest/globals';
import { piecesOf, safeHref } from './links.js';

const linksOf = (text: string) => piecesOf(text).flatMap(({ href }) => href ?? []);

describe('links in plain text', () => {
  it('end where the address ends, and the rest stays text to the letter', () => {
    const text =
      'see https://e.test/x</a><i onmouseover=alert(1)> and https://e.test/"q" (https://e.test/a_(b)).';
    expect(linksOf(text)).toEqual(['https://e.test/x', 'https://e.test/', 'https://e.test/a_(b)']);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it('go to the web and to mail, and nowhere that could run something', () => {
    expect(
      ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '/relative'].map(
        safeHref,
      ),
    ).toEqual(Array.from({ length: 5 }, () => null));
    expect(safeHref('mailto:mina@e.test')).toBe('mailto:mina@e.test');
    expect(linksOf('http:// and https://')).toEqual([]);
  });
});
