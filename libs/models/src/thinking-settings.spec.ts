/** Each request asks for thinking and effort as its own profile says, in the form that the model's generation takes. */
import { builtInProfile, type ModelRequest } from '@bullpen/core';
import { aModelRequest } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { needsInterleaving, thinkingSettings } from './thinking-settings.js';

const of = (model: string, change: Partial<ModelRequest> = {}): ModelRequest =>
  aModelRequest({ ...builtInProfile(model), ...change });
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
const said = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });
const call = { type: 'tool_use' as const, id: 'a', name: 'look', input: {} };
const result = {
  role: 'user' as const,
  content: [{ type: 'tool_result' as const, tool_use_id: 'a', content: '' }],
};
const thought = { type: 'thinking' as const, thinking: '', signature: 's' };

describe('thinking', () => {
  it('is asked for by each generation in its own way', () => {
    const budget = { thinking: { budgetTokens: 2_048 } };
    expect(thinkingSettings(of('claude-haiku-4-5', budget))).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2_048 },
    });
    expect(thinkingSettings(of('claude-opus-5-5', { thinking: 'adaptive', effort: 'high' }))).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(thinkingSettings(of('claude-fable-5'))).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
    });
  });

  it('that is off is said where saying nothing could mean some, and left out where nobody knows the word', () => {
    expect(thinkingSettings(of('claude-sonnet-5-5'))).toEqual({ thinking: { type: 'disabled' } });
    expect(thinkingSettings(of('claude-haiku-4-5'))).toEqual({});
    expect(thinkingSettings(of('somebody-elses'))).toEqual({});
  });

  it('by a budget gives way to a tool that is forced, and comes between tool calls by a beta', () => {
    const budget = of('claude-sonnet-4-5', { thinking: { budgetTokens: 1_024 }, tools });
    expect([thinkingSettings(budget).thinking?.type, needsInterleaving(budget)]).toEqual(['enabled', true]);
    const forced = { ...budget, toolChoice: { type: 'tool', name: 'look' } } as const;
    expect([thinkingSettings(forced), needsInterleaving(forced)]).toEqual([{}, false]);
  });

  it('by a budget waits for the next exchange when this one began without any', () => {
    const budget = of('claude-sonnet-4-5', { thinking: { budgetTokens: 1_024 }, tools });
    const answered = (...content: (typeof call | typeof thought)[]) => [
      said('Look.'),
      { role: 'assistant' as const, content },
      result,
    ];
    expect(thinkingSettings({ ...budget, messages: answered(call) })).toEqual({});
    expect(thinkingSettings({ ...budget, messages: answered(thought, call) }).thinking?.type).toBe('enabled');
    const later = [...answered(call), { role: 'assistant' as const, content: [thought] }, said('And now?')];
    expect(thinkingSettings({ ...budget, messages: later }).thinking?.type).toBe('enabled');
  });
});
