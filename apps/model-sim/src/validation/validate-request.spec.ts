import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.js';
import { signThinking, thinkingTag } from '../thinking-signature.js';
import { aRequest, aUser, A_TOOL } from '../testing/api-client.js';
import { validateCountTokensRequest, validateMessagesRequest } from './validate-request.js';

const USE = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'seen' };
const TEXT = { type: 'text', text: 'Hi.' };
const MARK = { cache_control: { type: 'ephemeral' } };
const PAIR_HINT = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

function assistant(...content: object[]): object {
  return { role: 'assistant', content };
}

function user(...content: object[]): object {
  return { role: 'user', content };
}

function talk(...messages: object[]): Record<string, unknown> {
  return aRequest({ tools: [A_TOOL], messages: messages as never });
}

function refusal(body: unknown, validate = validateMessagesRequest): string {
  try {
    validate(body);
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

function without(name: string): Record<string, unknown> {
  const { [name]: _dropped, ...rest } = aRequest();
  return rest;
}

describe('validateMessagesRequest', () => {
  it.each<[string, unknown, string]>([
    ['no model', without('model'), '400 model: Field required'],
    ['no max_tokens', without('max_tokens'), '400 max_tokens: Field required'],
    ['no messages', without('messages'), '400 messages: Field required'],
    ['a body that is no object', [], '400 Input should be an object'],
    ['an unknown field', aRequest({ max_token: 1 }), '400 max_token: Extra inputs are not permitted'],
    [
      'a wrong type',
      aRequest({ max_tokens: 'many' as never }),
      '400 max_tokens: Input should be a valid integer',
    ],
    ['a fraction', aRequest({ max_tokens: 1.5 }), '400 max_tokens: Input should be a valid integer'],
    [
      'a wrong role',
      talk({ role: 'tool', content: 'x' }),
      "400 messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    [
      'a number as content',
      talk({ role: 'user', content: 1 }),
      '400 messages.0.content: Input should be a valid list',
    ],
    [
      'an unknown block',
      talk(user({ type: 'video' })),
      "400 messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags",
    ],
    [
      'a block without type',
      talk(user({ text: 'x' })),
      "400 messages.0.content.0: Unable to extract tag using discriminator 'type'",
    ],
    [
      'a block without its field',
      talk(user({ type: 'text' })),
      '400 messages.0.content.0.text.text: Field required',
    ],
    [
      'an unknown block field',
      talk(user({ ...TEXT, id: 1 })),
      '400 messages.0.content.0.text.id: Extra inputs are not permitted',
    ],
    [
      'a tool without schema',
      aRequest({ tools: [{ name: 'look' }] }),
      '400 tools.0.custom.input_schema: Field required',
    ],
    [
      'a bad tool name',
      aRequest({ tools: [{ ...A_TOOL, name: 'a b' }] }),
      "400 tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    ['equal tool names', aRequest({ tools: [A_TOOL, A_TOOL] }), '400 tools: Tool names must be unique.'],
    ['an unknown model', aRequest({ model: 'gpt-5' }), '404 model: gpt-5'],
    [
      'too many output tokens',
      aRequest({ max_tokens: 200_000 }),
      '400 max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-sonnet-5-5',
    ],
    ['no message', aRequest({ messages: [] }), '400 messages: at least one message is required'],
    [
      'an assistant first',
      talk(assistant(TEXT), aUser('x')),
      '400 messages: first message must use the "user" role',
    ],
    [
      'a prefill',
      talk(aUser('x'), assistant(TEXT)),
      '400 This model does not support assistant message prefill. The conversation must end with a user message.',
    ],
    [
      'empty content',
      talk({ role: 'user', content: '' }),
      '400 messages.0: user messages must have non-empty content',
    ],
    [
      'an empty assistant message',
      talk(aUser('x'), assistant(), aUser('y')),
      '400 messages.1: all messages must have non-empty content except for the optional final assistant message',
    ],
    [
      'an empty text block',
      talk(user({ type: 'text', text: '' })),
      '400 messages: text content blocks must be non-empty',
    ],
    [
      'a blank text block',
      talk(user({ type: 'text', text: ' \n' })),
      '400 messages: text content blocks must contain non-whitespace text',
    ],
    [
      'a mark on empty text',
      talk(user({ type: 'text', text: '', ...MARK })),
      '400 messages.0.content.0.text: cache_control cannot be set for empty text blocks',
    ],
    [
      'five marks',
      talk(user(...Array.from({ length: 5 }, () => ({ ...TEXT, ...MARK })))),
      '400 A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a call without result',
      talk(aUser('x'), assistant(USE), aUser('y')),
      `400 messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: toolu_1. ${PAIR_HINT}`,
    ],
    [
      'a call at the end',
      talk(aUser('x'), assistant(USE)),
      `400 messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: toolu_1. ${PAIR_HINT}`,
    ],
    [
      'text before the result',
      talk(aUser('x'), assistant(USE), user(TEXT, RESULT)),
      `400 messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: toolu_1. ${PAIR_HINT}`,
    ],
    [
      'a result without call',
      talk(aUser('x'), assistant(TEXT), user(RESULT)),
      '400 messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    ],
    [
      'equal call ids',
      talk(aUser('x'), assistant(USE, USE), user(RESULT)),
      '400 messages.1.content.1: `tool_use` ids must be unique',
    ],
    [
      'two results for a call',
      talk(aUser('x'), assistant(USE), user(RESULT, RESULT)),
      '400 messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
    ],
    [
      'a bad call id',
      talk(aUser('x'), assistant({ ...USE, id: 'a:b' })),
      "400 messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'a call by the user',
      talk(user(USE)),
      '400 messages.0: `tool_use` blocks can only be in `assistant` messages',
    ],
    [
      'calls without tools',
      { ...talk(aUser('x'), assistant(USE), user(RESULT)), tools: undefined },
      '400 Requests which include `tool_use` or `tool_result` blocks must define tools',
    ],
    [
      'a choice without tools',
      aRequest({ tool_choice: { type: 'auto' } }),
      '400 tool_choice may only be specified while providing tools',
    ],
    [
      'an unknown chosen tool',
      { ...talk(aUser('x')), tool_choice: { type: 'tool', name: 'fly' } },
      "400 Tool 'fly' not found in provided tools",
    ],
    ['a temperature', aRequest({ temperature: 0.2 }), '400 `temperature` is deprecated for this model.'],
    ['a top_p', aRequest({ top_p: 0.5 }), '400 `top_p` is deprecated for this model.'],
    ['a top_k', aRequest({ top_k: 1 }), '400 `top_k` is deprecated for this model.'],
    [
      'a thinking budget',
      aRequest({ thinking: { type: 'enabled', budget_tokens: 2_000 } }),
      '400 "thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ],
  ])('refuses %s with the text of the API', (_what, body, expected) => {
    expect(refusal(body)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ['a plain request', aRequest()],
    ['the default temperature', aRequest({ temperature: 1 })],
    [
      'a temperature for an older model',
      aRequest({ model: 'claude-opus-4-5-20251101', temperature: 0.2, max_tokens: 100 }),
    ],
    ['results before text', talk(aUser('x'), assistant(TEXT, USE), user(RESULT, TEXT))],
    [
      'results in two user messages',
      talk(
        aUser('x'),
        assistant(USE, { ...USE, id: 'b' }),
        user(RESULT),
        user({ ...RESULT, tool_use_id: 'b' }),
      ),
    ],
    [
      'a result without content',
      talk(aUser('x'), assistant(USE), user({ type: 'tool_result', tool_use_id: 'toolu_1' })),
    ],
    ['a system message after the user', talk(aUser('x'), { role: 'system', content: 'Be brief.' })],
    [
      'a paused turn that is sent back',
      talk(aUser('x'), assistant({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} })),
    ],
  ])('accepts %s', (_what, body) => {
    expect(refusal(body)).toBe('accepted');
  });

  it('refuses max_tokens when only tokens are to be counted, and does not ask for it', () => {
    expect(refusal(aRequest(), validateCountTokensRequest)).toBe(
      '400 max_tokens: Extra inputs are not permitted',
    );
    expect(refusal(without('max_tokens'), validateCountTokensRequest)).toBe('accepted');
  });
});

describe('thinking blocks', () => {
  const signature = signThinking('Hm.', 'msg_sim_1');
  const thinking = { type: 'thinking', thinking: 'Hm.', signature };
  const use = { ...USE, id: `toolu_${thinkingTag(signature)}x` };
  const result = { ...RESULT, tool_use_id: use.id };
  const MODIFIED =
    'thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';

  it('are accepted when they come back untouched', () => {
    expect(refusal(talk(aUser('x'), assistant(thinking, use), user(result)))).toBe('accepted');
  });

  it.each([
    ['changed text', assistant({ ...thinking, thinking: 'Hm!' }, use)],
    ['changed signature', assistant({ ...thinking, signature: `${signature}x` }, use)],
    ['dropped thinking', assistant(use)],
  ])('are refused in the latest message with %s', (_what, message) => {
    expect(refusal(talk(aUser('x'), message, user(result)))).toBe(`400 messages.1.content.0: \`${MODIFIED}`);
  });

  it('may be left out of older messages, but not be changed there', () => {
    const later = [user(result), assistant(TEXT), aUser('And?')];
    expect(refusal(talk(aUser('x'), assistant(use), ...later))).toBe('accepted');
    expect(refusal(talk(aUser('x'), assistant({ ...thinking, thinking: '' }, use), ...later))).toBe(
      '400 messages.1.content.0: Invalid `signature` in `thinking` block',
    );
  });
});
