import { describe, expect, it } from '@jest/globals';
import { SOME_MACHINE } from '../../../test/some-modes.js';
import { EMPTY_CONTEXT, type ModeContext, type Transition } from '../../task/mode-context.js';
import { circleOf, fire, modeAfter, waysOut, type Firing, type Standing } from './fire.js';
import { caughtUp } from './fold.js';

const by = (trigger: string, source: Firing['source'] = 'agent'): Firing => ({
  trigger,
  source,
  by: null,
  reason: null,
});

/** Fires one after the other; gives all rows. */
function fired(firings: readonly Firing[], context: Partial<ModeContext> = {}): Transition[] {
  return firings.reduce<Transition[]>((rows, firing) => {
    const all = caughtUp({ ...EMPTY_CONTEXT, ...context }, rows);
    return [...rows, fire({ machine: SOME_MACHINE, rows, context: all }, firing)];
  }, []);
}

const standing = (rows: readonly Transition[], context: Partial<ModeContext> = {}): Standing => ({
  machine: SOME_MACHINE,
  rows,
  context: caughtUp({ ...EMPTY_CONTEXT, ...context }, rows),
});

describe('a trigger', () => {
  it('whose mode cannot be entered leaves the task where it is, with the error on record', () => {
    const rows = fired([by('code_intent')]);
    const broken = {
      test: {
        enter: () => {
          throw new Error('no runner');
        },
      },
    };
    const row = fire(standing(rows), by('code_complete'), broken);
    expect(row).toMatchObject({ to: null, outcome: 'refused', refusal: 'Entering test failed: no runner' });
    expect(modeAfter([...rows, row])).toBe('implementation');
    const stuck = { implementation: { exit: broken.test.enter } };
    expect(fire(standing(rows), by('code_complete'), stuck).refusal).toBe(
      'Leaving implementation failed: no runner',
    );
  });

  it('that leads out of other modes each time is bounded by none of them', () => {
    const modes = ['search_intent', 'code_intent', 'error_intent'];
    const firings = [...modes, ...modes].flatMap((trigger) => [by(trigger), by('abandoned')]);
    expect(fired(firings).map(({ outcome }) => outcome)).toEqual(firings.map(() => 'moved'));
  });

  it('leads out of the same mode five times, then no more, unless a person fires it', () => {
    const round = [by('code_intent', 'intent'), by('abandoned')];
    const rows = fired(Array.from({ length: 6 }, () => round).flat());
    expect(rows.at(-2)?.outcome).toBe('moved');
    expect(rows.at(-1)).toMatchObject({ outcome: 'refused', possible: ['code_complete', 'rejected'] });
    expect(circleOf(rows, EMPTY_CONTEXT)).toMatch(/abandoned has led out of implementation 5 times/);
    expect(circleOf(rows, { allowedSince: rows.length })).toBeNull();
    expect(fire(standing(rows), by('abandoned', 'person')).to).toBe('idle');
  });

  it('of the agent does not begin to change things when only an answer is wanted; a person may', () => {
    const rows = fired([by('search_intent', 'intent')]);
    const asked = standing(rows, { goal: 'answer' });
    expect(fire(asked, by('target_found'))).toMatchObject({ to: null, possible: ['answered', 'abandoned'] });
    expect(fire(asked, by('target_found', 'person')).to).toBe('implementation');
  });
});

describe('the ways out of a mode', () => {
  it('are those that would be taken now, and the others with the reason', () => {
    const { possible, impossible } = waysOut(standing(fired([by('code_intent'), by('code_complete')])));
    expect(possible.map(({ trigger, to }) => `${trigger} ${to}`)).toEqual([
      'test_failed implementation',
      'abandoned idle',
    ]);
    expect(impossible).toEqual([
      { trigger: 'tests_passed', to: 'idle', why: expect.stringMatching(/^It needs tests that were run/) },
    ]);
  });

  it('say where a trigger leads instead', () => {
    const large = { changed: ['1', '2', '3', '4', '5', '6'] };
    const { possible, impossible } = waysOut(standing(fired([by('code_intent')]), large));
    expect(possible[0]).toMatchObject({ trigger: 'code_complete', to: 'multi_file_editing' });
    expect(impossible).toEqual([
      {
        trigger: 'code_complete',
        to: 'test',
        why: 'As things are, code_complete leads to multi_file_editing.',
      },
    ]);
  });
});
