import { describe, expect, it } from '@jest/globals';
import { emptyStep, type NewInteraction, type Step } from '@bullpen/core';
import { aNewChild } from '@bullpen/testing';
import { isUsual, stepStatement } from './step-statement.js';

const LEASE = { taskId: 'task_1', epoch: 1, workerId: 'worker_1' };

const QUESTION: NewInteraction = {
  id: 'int_1',
  kind: 'question',
  callId: null,
  hash: 'x',
  title: 'Which?',
  turn: 1,
  payload: {},
  expiresInMs: null,
  expiryAnswer: null,
};

const whole = (step: Partial<Step>): Step => ({ ...emptyStep(), ...step });

describe('the form of a step', () => {
  it.each<[string, Partial<Step>]>([
    ['nothing', {}],
    ['a turn', { patch: { turns: 3, mistakes: 0, activeMs: 5, workspacePath: '/w', sandbox: 'none' } }],
    ['money', { reserveNanoUsd: 7n, releaseNanoUsd: 3n }],
  ])('is the lean one for %s', (_what, step) => {
    expect(isUsual(whole(step))).toBe(true);
  });

  // What the lean form has no parts for would be lost without a word.
  it.each<[string, Partial<Step>]>([
    ['an interaction', { interactions: [QUESTION] }],
    ['an interaction that needs no answer', { withdrawn: ['int_1'] }],
    ['dropped messages', { dropFrom: 0 }],
    ['delivered messages', { consumedInbox: ['inbox_1'] }],
    ['another phase', { patch: { phase: 'grace' } }],
    ['a cause that is forgotten', { patch: { pendingCause: null } }],
    ['an interrupt that was followed', { patch: { interrupted: false } }],
    ['a run before that is told of', { patch: { leftBy: null } }],
    ['another autonomy', { patch: { autonomy: 'plan' } }],
    ['an end', { end: { kind: 'yield' } }],
    ['children', { children: [aNewChild()] }],
  ])('is not the lean one for %s', (_what, step) => {
    expect(isUsual(whole(step))).toBe(false);
  });

  it('has parts for children where there are any', () => {
    const nameOf = (step: Partial<Step>) =>
      stepStatement(LEASE, whole(step), null, { attempt: 1, newId: (prefix) => `${prefix}_1` }).name;
    expect(nameOf({ interactions: [QUESTION], dropFrom: 4 })).toBe('commit-step-childless');
    expect(nameOf({ children: [aNewChild()], interactions: [QUESTION] })).toBe('commit-step');
  });
});
