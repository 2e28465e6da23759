/** A few work modes for specs of the loop: the way round from a search to a commit, in short. */
import type { ModeDefinition, ModeRule, WorkMachine } from '@bullpen/contracts';

type Short = readonly [on: string, to: string, more?: Partial<ModeRule>];

function mode(name: string, groups: ModeDefinition['groups'], ...rules: readonly Short[]): ModeDefinition {
  return {
    name,
    phase: 0,
    description: name,
    groups: [...groups],
    asks: groups.includes('write') ? 'changes' : 'nothing',
    rules: rules.map(([on, to, more]) => ({
      on,
      to,
      priority: 9,
      when: null,
      means: `${on} is so`,
      ...more,
    })),
    prompt: `This is how ${name} works.`,
  };
}

const SOME_MODES: readonly ModeDefinition[] = [
  mode(
    'idle',
    ['read'],
    ['search_intent', 'context_navigation'],
    ['code_intent', 'implementation'],
    ['error_intent', 'debug'],
  ),
  mode('context_navigation', ['read'], ['target_found', 'implementation'], ['answered', 'idle']),
  mode(
    'implementation',
    ['read', 'write', 'execute'],
    ['code_complete', 'multi_file_editing', { priority: 10, when: 'large_change' }],
    ['code_complete', 'test'],
    ['rejected', 'context_navigation'],
  ),
  mode('multi_file_editing', ['read', 'write', 'execute'], ['changes_ready', 'test']),
  mode('debug', ['read', 'write', 'execute'], ['fix_identified', 'implementation']),
  mode(
    'test',
    ['read', 'write', 'execute'],
    ['test_failed', 'implementation'],
    ['tests_passed', 'idle', { when: 'tests_passed' }],
  ),
];

export const SOME_MACHINE: WorkMachine = { modes: [...SOME_MODES], asks: 'nothing' };
