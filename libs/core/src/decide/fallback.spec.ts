/** Where the next request of a task goes when its profile cannot answer. */
import { aModelCall } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { builtInProfile } from '../task/model-facts.js';
import type { ModelCallRecord } from '../task/task.js';
import { nextProfile, routeAfter, type FallbackView } from './fallback.js';

const chain = ['main', 'small', 'last'].map((name) => ({ ...builtInProfile(`claude-${name}`), name }));
const at = (ms: number) => new Date(ms);

function failed(profile: string, more: Partial<ModelCallRecord> = {}): ModelCallRecord {
  return aModelCall({
    profile,
    status: 'failed',
    errorClass: 'overload',
    startedAt: at(0),
    endedAt: at(1),
    retryDelayMs: 500,
    ...more,
  });
}

function choice(view: Partial<FallbackView>) {
  return nextProfile({
    ...{ chain, stored: null, failures: [], modelAttempts: 5, now: 0 },
    ...{ closedFor: () => 0, unfit: () => null },
    ...view,
  });
}
const nameOf = (view: Partial<FallbackView>) => {
  const { index } = choice(view);
  return index === null ? null : chain[index]?.name;
};

describe('the profile of the next request', () => {
  it('stays while its provider may soon answer, and changes once that takes too long or its tries are used up', () => {
    expect(nameOf({ failures: [failed('main')] })).toBe('main');
    expect(
      nameOf({ failures: [failed('main', { errorClass: 'rate_limit', retryDelayMs: 3_600_000 })] }),
    ).toBe('small');
    expect(nameOf({ failures: Array.from({ length: 5 }, () => failed('main')) })).toBe('small');
    expect(nameOf({ closedFor: ({ name }) => (name === 'main' ? 60_000 : 0) })).toBe('small');
  });

  it('does not change for a mistake of ours', () => {
    const failures = Array.from({ length: 9 }, () => failed('main', { errorClass: 'request' }));
    expect(nameOf({ failures })).toBe('main');
  });

  it('is one whose window holds the conversation; the others are named with the reason', () => {
    const unfit = ({ name }: { name: string }) => (name === 'small' ? 'too small' : null);
    expect(choice({ failures: [failed('main', { errorClass: 'refusal' })], unfit })).toEqual({
      index: 2,
      skipped: [{ profile: 'small', reason: 'too small' }],
    });
    expect(
      choice({ failures: [failed('main', { errorClass: 'refusal' })], unfit: () => 'too small' }).index,
    ).toBeNull();
  });

  it('is the one that answered last until its time is over; then the first one has a single try', () => {
    const stored = { active: 1, until: at(1_000).toISOString() };
    expect(nameOf({ stored, now: 999 })).toBe('small');
    expect(nameOf({ stored, now: 1_000 })).toBe('main');
    expect(nameOf({ stored, now: 1_000, failures: [failed('main')] })).toBe('small');
    expect(nameOf({ stored, now: 1_000, closedFor: ({ name }) => (name === 'main' ? 60_000 : 0) })).toBe(
      'small',
    );
  });

  it('comes from the front again when the fallback fails as well', () => {
    const stored = { active: 2, until: at(1_000).toISOString() };
    expect(nameOf({ stored, failures: [failed('last', { errorClass: 'refusal' })] })).toBe('main');
  });

  it('is none when nobody can answer, so that the task waits', () => {
    expect(nameOf({ stored: { active: 1, until: null }, closedFor: () => Infinity })).toBeNull();
  });
});

describe('the route after an answer', () => {
  const route = { version: 0, profiles: chain, active: 0, since: 0, until: null };

  it('is stored only when another profile gave it', () => {
    expect(routeAfter(route, null, { seq: 7, now: 0, tried: [] })).toBeNull();
    expect(routeAfter({ ...route, active: 1 }, null, { seq: 7, now: 0, tried: [] })).toMatchObject({
      ...{ version: 1, active: 1, since: 7, until: at(600_000).toISOString() },
    });
  });

  it('of the first profile again has no end', () => {
    const stored = { ...route, version: 3, active: 1, since: 7, until: at(0).toISOString() };
    expect(routeAfter({ ...stored, active: 0 }, stored, { seq: 9, now: 1, tried: [] })).toMatchObject({
      ...{ version: 4, active: 0, since: 9, until: null },
    });
  });

  it('stays as it is when an answer began before its time was over', () => {
    const stored = { ...route, version: 3, active: 1, since: 7, until: at(0).toISOString() };
    expect(routeAfter(stored, stored, { seq: 9, now: 1, tried: [] })).toBeNull();
  });

  it('of the fallback is prolonged when the first one was tried in vain', () => {
    const stored = { ...route, version: 3, active: 1, since: 7, until: at(0).toISOString() };
    expect(routeAfter(stored, stored, { seq: 9, now: 1, tried: ['main'] })).toMatchObject({
      ...{ version: 4, active: 1, since: 7, until: at(600_001).toISOString() },
    });
  });
});
