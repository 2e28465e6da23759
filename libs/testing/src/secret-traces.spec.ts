import { describe, expect, it } from '@jest/globals';
import { secretTraces } from './secret-traces.js';

const VALUE = 'p%25a"b\\c d&é-Tr0ub4dor';
const base64 = Buffer.from(`usr:${VALUE}`).toString('base64');

describe('traces of a secret', () => {
  it.each([
    ['plainly', `a ${VALUE} b`],
    ['in part', `a ${VALUE.slice(4, 14)}`],
    ['in JSON', JSON.stringify({ a: VALUE })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ a: VALUE }))],
    ['in a URL', encodeURIComponent(VALUE)],
    ['in HTML', VALUE.replace('&', '&amp;').replace('"', '&#34;')],
    ['behind backslashes', VALUE.replace(/[^\w]/g, '\\$&')],
    ['in octal bytes', VALUE.replace('é', '\\303\\251')],
    ['in base64', base64],
    ['in base64 in numbered lines', base64.replace(/(.{10})/g, '$1\n2\t')],
    ['in the alphabet of URLs', Buffer.from(VALUE).toString('base64url')],
    ['in hexadecimal digits', Buffer.from(VALUE).toString('hex')],
    ['with colours', `p%25a\u001b[31m"b\\c d&\u001b[0mé-Tr0ub4dor`],
  ])('are found %s', (_, text) => {
    expect(secretTraces(text, VALUE).length).toBeGreaterThan(0);
  });

  it('are not found where there is nothing of it', () => {
    expect(secretTraces('Tr0ub4 d0r, p%25a and other words; dXNyOnA= 414243', VALUE)).toEqual([]);
  });
});
