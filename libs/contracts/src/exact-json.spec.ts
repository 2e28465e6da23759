import { describe, expect, it } from '@jest/globals';
import { inexactNumber } from './exact-json.js';

describe('a number in JSON that is typed', () => {
  it('is refused when it would be sent as another one', () => {
    expect(inexactNumber('{"orderId": 7203685477580719301}')).toEqual({
      ...{ digits: '7203685477580719301', index: 12 },
    });
    expect(inexactNumber('[1152921504606846976]')).toMatchObject({ index: 1 });
    expect(inexactNumber('[1e999]')).toMatchObject({ digits: '1e999' });
  });

  it('is taken when it is exact, or in a text', () => {
    expect(inexactNumber('{"a": 9007199254740991, "b": -0.1, "c": "7203685477580719301"}')).toBeNull();
    expect(inexactNumber('"a \\" 7203685477580719301"')).toBeNull();
  });

  it('is found behind texts of many megabytes, whatever is escaped in them', () => {
    const texts = ['a'.repeat(8_000_000), '\n"'.repeat(2_000_000), '\\'.repeat(4_000_000), '\\"'];
    for (const text of texts) {
      const json = JSON.stringify([text, 1, 'x"1234567890123456789']);
      expect(inexactNumber(json)).toBeNull();
      expect(inexactNumber(`[${json},12345678901234567890]`)).toMatchObject({ index: json.length + 2 });
    }
  });
});
