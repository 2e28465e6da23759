import { describe, expect, it } from '@jest/globals';
import { offsetOf } from './server-clock.js';

const DATE = 'Fri, 02 Jan 2026 00:00:10 GMT';
const AT = Date.parse(DATE);
const MINUTES = 60_000;

describe("the gateway's clock", () => {
  it('is followed by a browser whose own is minutes off, either way', () => {
    expect(offsetOf(DATE, AT - 7 * MINUTES)).toBe(7 * MINUTES + 500);
    expect(offsetOf(DATE, AT + 7 * MINUTES)).toBe(-7 * MINUTES + 500);
  });

  it('is taken to be the same within what a header can tell', () => {
    expect([offsetOf(DATE, AT + 900), offsetOf(DATE, AT - 1_000)]).toEqual([0, 0]);
  });

  it('stays as it was known when an answer has no time', () => {
    expect([offsetOf(null, AT), offsetOf('soon', AT)]).toEqual([null, null]);
  });
});
