/** Profiles: what a model's name stands for, what a task is given, and what is refused before it runs. */
import { describe, expect, it } from '@jest/globals';
import { aDefinition } from '@bullpen/testing';
import { builtInProfile, settingIssue } from '../task/model-facts.js';
import { profileOf } from '../task/profile-of.js';
import { withProfiles } from './profiles.js';

const small = { ...builtInProfile('claude-haiku-4-5'), name: 'small', effort: null };
const main = { ...builtInProfile('claude-opus-5-5'), name: 'main', fallback: ['small', 'claude-sonnet-5'] };
const named = new Map([small, main].map((profile) => [profile.name, profile]));

function chosen(overrides: Parameters<typeof aDefinition>[0]) {
  const result = withProfiles(aDefinition(overrides), named);
  if ('problem' in result) throw new Error(result.problem);
  return result.definition;
}

describe('the profiles of a task', () => {
  it('are its own first, then the ones to fall back to, whether named or built in', () => {
    const { model, profiles } = chosen({ profile: 'main', maxOutputTokens: 16_000 });
    expect(model).toBe('claude-opus-5-5');
    expect(profiles.map(({ name, contextWindow }) => [name, contextWindow])).toEqual([
      ['main', 1_000_000],
      ['small', 200_000],
      ['claude-sonnet-5', 1_000_000],
    ]);
  });

  it('keep as much room for an answer as both the agent and the model allow', () => {
    const roomy = chosen({ profile: 'small', maxOutputTokens: 128_000 });
    expect(profileOf({ definition: roomy }).maxOutputTokens).toBe(64_000);
    const brief = chosen({ profile: 'small', maxOutputTokens: 500 });
    expect(profileOf({ definition: brief }).maxOutputTokens).toBe(500);
  });

  it('of a task from before there were profiles are that of its model', () => {
    const old = aDefinition({ model: 'claude-haiku-4-5', maxOutputTokens: 4_096 });
    expect(profileOf({ definition: old })).toEqual({
      ...builtInProfile('claude-haiku-4-5'),
      maxOutputTokens: 4_096,
    });
  });

  it('have one for helper calls where the agent names one, at its full length, or by the name of a model', () => {
    const { helper } = chosen({ profile: 'main', helperProfile: 'small', maxOutputTokens: 500 });
    expect(helper).toEqual(small);
    expect(chosen({ helperProfile: 'claude-haiku-4-5' }).helper).toEqual(builtInProfile('claude-haiku-4-5'));
    expect(chosen({}).helper).toBeNull();
    expect(withProfiles(aDefinition({ helperProfile: 'smal' }), named)).toEqual({
      problem: 'helperProfile: There is no profile smal. Did you mean small?',
    });
  });

  it('are refused by a name that nobody gave, with the one that was meant', () => {
    expect(withProfiles(aDefinition({ profile: 'smal' }), named)).toEqual({
      problem: 'There is no profile smal. Did you mean small?',
    });
  });

  it('are refused with the sum when the answer takes the whole window, or thinking the whole answer', () => {
    const tight = { ...small, contextWindow: 33_000, maxOutputTokens: 32_000 };
    const issueOf = (profile: typeof small, maxOutputTokens: number) =>
      withProfiles(aDefinition({ profile: 'small', maxOutputTokens }), new Map([['small', profile]]));
    expect(issueOf(tight, 64_000)).toEqual({
      problem:
        'The profile small cannot be used: a window of 33000 tokens less 32000 for the answer is 1000, where prompt and tools need at least 2005.',
    });
    expect(issueOf({ ...small, thinking: { budgetTokens: 8_000 } }, 4_000)).toEqual({
      problem:
        'The profile small cannot be used: thinking may take 8000 of the 4000 tokens of an answer, which leaves none for the answer itself.',
    });
  });
});

it('an agent whose prompt leaves no room beside the longest answer is refused with the sum: 40,000 less 32,000', () => {
  const tight = { ...small, name: 'tight', contextWindow: 40_000, maxOutputTokens: 32_000 };
  const profiles = new Map([['tight', tight]]);
  const agent = { profile: 'tight', maxOutputTokens: 32_000 };
  expect(withProfiles(aDefinition(agent), profiles)).toMatchObject({ definition: { model: tight.model } });
  const systemPrompt = 'Be kind to everybody who writes. '.repeat(1_080);
  expect(withProfiles(aDefinition({ ...agent, systemPrompt }), profiles)).toEqual({
    problem: expect.stringMatching(
      /^The profile tight cannot be used: a window of 40000 tokens less 32000 for the answer is 8000, where prompt and tools need at least \d{4}\.$/,
    ),
  });
});

describe('what a model takes', () => {
  it.each([
    ['claude-opus-4-8', { thinking: { budgetTokens: 4_096 } }, /^thinking: .* does not take a budget/],
    ['claude-haiku-4-5', { thinking: 'adaptive' }, /^thinking: .* takes off or a budget/],
    ['claude-fable-5', { thinking: 'off' }, /^thinking: .* takes adaptive$/],
    ['claude-haiku-4-5-20251001', { effort: 'low' }, /^effort: .* takes none$/],
    ['claude-opus-4-6', { effort: 'xhigh' }, /^effort: .* takes low, medium, high, max$/],
    ['claude-opus-4-1', { maxOutputTokens: 64_000 }, /at most 32000/],
  ] as const)('%s refuses %j', (model, settings, issue) => {
    expect(settingIssue({ ...builtInProfile(model), ...settings })).toMatch(issue);
  });

  it.each([
    ['claude-opus-4-6', { thinking: { budgetTokens: 4_096 }, effort: 'max' }],
    ['claude-sonnet-5-5', { thinking: 'adaptive', effort: 'xhigh' }],
    ['claude-fable-5-1', {}],
    ['somebody-elses', { thinking: { budgetTokens: 1_024 }, effort: 'max', maxOutputTokens: 100_000 }],
  ] as const)('%s takes %j', (model, settings) => {
    expect(settingIssue({ ...builtInProfile(model), ...settings })).toBeNull();
  });
});
