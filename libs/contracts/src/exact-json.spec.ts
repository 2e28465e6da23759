import { describe, expect, it } from '@jest/globals';
import { inexactNumber } from './exact-json.js';

describe('a number in JSON that is typed', () => {
  it('is refused when it would be sent as another one', () => {
    expect(inexactNumber('{"orderId": 7203685477580719301}')).toBe('7203685477580719301');
    expect(inexactNumber('[1e999]')).toBe('1e999');
  });

  it('is taken when it is exact, or in a text', () => {
    expect(inexactNumber('{"a": 9007199254740991, "b": -0.1, "c": "7203685477580719301"}')).toBeNull();
    expect(inexactNumber('"a \\" 7203685477580719301"')).toBeNull();
  });
});
