import { describe, expect, it } from '@jest/globals';
import { builtInProfile } from '@bullpen/core';
import { knownHelper, knownModels } from './known-models.js';

const DEFAULT_MODEL = 'claude-sonnet-5-5';

describe('the models that tasks may use', () => {
  const { problemOf } = knownModels({ DEFAULT_MODEL });

  it.each(['claude-sonnet-5-5', 'claude-opus-5', 'claude-sonnet-5-5-20261007', 'claude-haiku-4-5-latest'])(
    'hold %s',
    (model) => expect(problemOf(model)).toBeNull(),
  );

  it.each([
    ['claude-sonet-5-5', 'Did you mean claude-sonnet-5-5'],
    ['Claude-Sonnet-5-5', 'Did you mean claude-sonnet-5-5'],
    ['claude-sonnet-5.5', 'Did you mean claude-sonnet-5-5'],
    ['claude sonnet 5.5', 'Did you mean claude-sonnet-5-5'],
    ['sonet-5-5', 'Did you mean claude-sonnet-5-5'],
    ['claude-sonet-55', 'Did you mean claude-sonnet-5-5'],
    ['opus-5.5', 'Did you mean claude-opus-5-5'],
    ['sonnet', 'Did you mean claude-sonnet-5-5 or claude-sonnet-5 or claude-sonnet-4-6?'],
    ['claude-opus-6', 'Did you mean claude-opus-'],
    ['anthropic/claude-haiku-5-5', 'Did you mean claude-haiku-5-5'],
    ['gpt-5', 'Known models: claude-'],
    ['x', 'Known models: claude-'],
    ['claude-sonnet-5-5-preview', 'Did you mean claude-sonnet-5-5'],
    ['constructor', 'Known models: claude-'],
    ['m'.repeat(200), 'Known models: claude-'],
  ])('do not hold %s, and say what may be meant and how to allow it', (model, meant) => {
    const problem = problemOf(model);
    expect(problem).toContain(`The model "${model}" is not known.`);
    expect(problem).toContain(meant);
    expect(problem).toContain('setting EXTRA_MODELS');
  });

  it('hold those that the installation names, which it also suggests', () => {
    const named = knownModels({ DEFAULT_MODEL: 'qwen3-coder', EXTRA_MODELS: ['qwen3-coder', 'glm-5'] });
    expect(named.problemOf('glm-5')).toBeNull();
    expect(named.problemOf('claude-opus-5')).toBeNull();
    expect(named.problemOf('qwen3-codr')).toContain('Did you mean qwen3-coder?');
    expect([named.hasPrice('glm-5'), named.hasPrice('claude-opus-5')]).toEqual([false, true]);
  });

  it('hold any where the installation says so', () => {
    const any = knownModels({ DEFAULT_MODEL: 'whatever', EXTRA_MODELS: ['any'] });
    expect(any.problemOf('gpt-5')).toBeNull();
    expect(any.hasPrice('gpt-5')).toBe(false);
  });

  it('hold the default model, or the gateway does not start', () => {
    const start = () => knownModels({ DEFAULT_MODEL: 'claude-sonet-5-5' });
    expect(start).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(start).toThrow(
      /^DEFAULT_MODEL: The model "claude-sonet-5-5" is not known\. Did you mean claude-sonnet-5-5/,
    );
  });
});

it('the profile for helper calls is one of the installation or a known model, or nothing starts', () => {
  const profiles = new Map([['cheap', builtInProfile('claude-haiku-4-5')]]);
  expect(['cheap', 'claude-haiku-4-5', undefined].map((name) => knownHelper(name, profiles))).toEqual([
    ...['cheap', 'claude-haiku-4-5'],
    null,
  ]);
  expect(() => knownHelper('cheep', profiles)).toThrow(
    'HELPER_PROFILE: there is no model profile or model cheep. Profiles: cheap.',
  );
});
