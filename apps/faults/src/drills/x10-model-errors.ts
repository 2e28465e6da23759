import type { Fault } from '@bullpen/model-sim';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled, worker } from '../stack/workload.js';

const PASSING: readonly Fault[] = [
  { kind: 'rate_limit', retryAfterSeconds: 2, times: 2 },
  { kind: 'overloaded', times: 3 },
  { kind: 'server_error', times: 2 },
  { kind: 'timeout_error' },
  { kind: 'error_event_first' },
  { kind: 'slow_first_byte', ms: 5_000 },
  { kind: 'stall', ms: 5_000 },
];

export const modelErrors = defineDrill({
  id: 'X10',
  title: 'the model answers 429, 529, 500, 504, late and haltingly',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 90,
  expect: { uncertain: 0 },
  act: async (stack, context) => {
    const count = scaled(28, context.scale, PASSING.length);
    const plans = Array.from({ length: count }, (_, at) => {
      const fault = PASSING[at % PASSING.length] ?? { kind: 'overloaded' };
      return { ...worker(`e${at}`), faults: { [at % 5]: fault } };
    });
    await stack.submitter.submitAll([...plans, ...mixed(4)]);
  },
});

export const modelLockedOut = defineDrill({
  id: 'X10b',
  title: 'the provider account is refused for a while: tasks are parked, and go on by themselves',
  forms: ['full'],
  backends: ['postgres'],
  // A parked task looks again after a minute.
  seconds: 150,
  expect: { uncertain: 0, settleMs: 180_000 },
  act: async (stack) => {
    stack.sim.injectFaults([
      { kind: 'authentication_error', times: 4 },
      { kind: 'billing_error', times: 2 },
    ]);
    await stack.submitter.submitAll(mixed(12));
    // `heal` would forget faults that nobody met yet.
    while (stack.sim.requests().filter(({ outcome }) => outcome === 'refused').length < 6)
      await stack.pause(100);
  },
});
