import { describe, expect, it } from '@jest/globals';
import { orderCheck, reconcilerCheck } from './data-checks.js';

describe('the role of the reconciler', () => {
  it('is a problem when nobody has it although workers live', () => {
    expect(reconcilerCheck({ held: true, workers: 2 }).status).toBe('ok');
    expect(reconcilerCheck({ held: false, workers: 0 }).status).toBe('info');
    expect(reconcilerCheck({ held: false, workers: 1 })).toMatchObject({
      status: 'fail',
      fix: expect.any(String),
    });
  });
});

describe('the order of events', () => {
  it('is in order where the server has come past what is stored', () => {
    expect(orderCheck({ stored: 741n, next: 742n })).toMatchObject({ status: 'ok' });
  });

  it('is a problem where the numbers are those of another server, and what to run is said', () => {
    const check = orderCheck({ stored: 90_210n, next: 742n });
    expect(check).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('UPDATE ui_events SET tx = 0'),
    });
    expect(check.proof).toMatch(/90210.*742/);
  });
});
