import { describe, expect, it } from '@jest/globals';
import type { ModeDefinition, ModeRule } from '@bullpen/contracts';
import { machineProblems } from './check-machine.js';
import { ModeMachine, type ModeFacts } from './machine.js';

const NOTHING: ModeFacts = {
  large_change: false,
  has_pending_changes: false,
  has_errors: false,
  tests_passed: false,
};

const rule = (on: string, to: string, more: Partial<ModeRule> = {}): ModeRule => ({
  on,
  to,
  priority: 9,
  when: null,
  means: 'so',
  ...more,
});

const mode = (name: string, ...rules: readonly ModeRule[]): ModeDefinition => ({
  name,
  phase: null,
  description: name,
  groups: [],
  asks: 'nothing',
  rules: [...rules],
  prompt: name,
});

describe('the machine', () => {
  const modes = [
    mode('idle', rule('go', 'build')),
    mode(
      'build',
      rule('done', 'test'),
      rule('done', 'many', { priority: 10, when: 'large_change' }),
      rule('odd', 'test', { when: 'has_errors' }),
    ),
    mode('test', rule('passed', 'idle')),
    mode('many', rule('done', 'test')),
  ];
  const machine = new ModeMachine(modes);

  it('takes the rule of the highest priority whose condition holds', () => {
    expect(machine.choose('build', 'done', NOTHING)).toMatchObject({ ok: true, rule: { to: 'test' } });
    expect(machine.choose('build', 'done', { ...NOTHING, large_change: true })).toMatchObject({
      rule: { to: 'many' },
    });
  });

  it('refuses a trigger without a rule, and says which would have worked', () => {
    expect(machine.choose('build', 'fly', NOTHING)).toEqual({
      ok: false,
      reason: 'build has no trigger fly.',
      possible: ['done', 'abandoned'],
    });
    expect(machine.choose('build', 'odd', NOTHING)).toMatchObject({
      ok: false,
      reason: 'odd needs an error on record, which is not so.',
    });
  });

  it('leads from every mode to idle by abandoned', () => {
    expect(machine.choose('many', 'abandoned', NOTHING)).toMatchObject({ ok: true, rule: { to: 'idle' } });
    expect(machine.choose('idle', 'abandoned', NOTHING)).toMatchObject({ ok: false });
  });

  it('has no fault that the check finds', () => {
    expect(machineProblems(modes)).toEqual([]);
  });
});

describe('the check of a machine', () => {
  const faults = (...modes: readonly ModeDefinition[]) =>
    machineProblems(modes).map(({ mode, rule, message }) => `${mode} ${rule}: ${message}`);

  it('names a target that does not exist, with one that may be meant', () => {
    expect(faults(mode('idle', rule('go', 'buildd')), mode('build'))).toEqual([
      'idle 0: go leads to buildd, and there is no such mode; did you mean build?',
    ]);
  });

  it('refuses two unconditional rules that tie, and a rule that never gets its turn', () => {
    expect(faults(mode('idle', rule('go', 'a'), rule('go', 'b')), mode('a'), mode('b'))).toEqual([
      'idle 1: go to b ties with the rule to a: give one of them another priority',
    ]);
    expect(
      faults(
        mode('idle', rule('go', 'a'), rule('go', 'b', { priority: 8, when: 'has_errors' })),
        mode('a'),
        mode('b'),
      ),
    ).toEqual(['idle 1: go to b is never chosen: the rule to a comes before it, and always holds']);
  });

  it('names a mode that nothing leads to', () => {
    expect(faults(mode('idle', rule('go', 'a')), mode('a'), mode('island'))).toEqual([
      'island null: nothing leads from idle to island',
    ]);
  });

  it('asks for idle', () => {
    expect(faults(mode('a'))).toEqual(['idle null: there is no mode idle, where every task begins']);
  });
});
