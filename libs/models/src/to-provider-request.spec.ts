import type { ContentBlock, Media } from '@bullpen/contracts';
import { builtInProfile, type ModelRequest, type RequestMessage } from '@bullpen/core';
import { describe, expect, it } from '@jest/globals';
import { toProviderRequest, type ProviderRequest } from './to-provider-request.js';

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const thinking: ContentBlock = { type: 'thinking', thinking: '', signature: 'c2ln' };
const toolUse = (id: string): ContentBlock => ({
  type: 'tool_use',
  id,
  name: 'read_file',
  input: { path: id },
});
const toolResult = (id: string): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: `content of ${id}`,
});
const user = (...content: ContentBlock[]): RequestMessage => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): RequestMessage => ({ role: 'assistant', content });

function aRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    ...builtInProfile('claude-sonnet-5-5'),
    maxOutputTokens: 8_000,
    system: 'You are careful.',
    tools: [
      {
        name: 'read_file',
        description: 'Reads.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      },
      { name: 'write_file', description: 'Writes.', inputSchema: { type: 'object' } },
    ],
    toolChoice: { type: 'auto' },
    messages: [user(text('Do it.'))],
    ...change,
  };
}

/** Where the cache marks are, as `place:index` from the front of the request. */
function marksOf(request: ProviderRequest): string[] {
  const marks: string[] = [];
  const look = (place: string, items: unknown) => {
    if (!Array.isArray(items)) return;
    items.forEach((item: object, index) => 'cache_control' in item && marks.push(`${place}:${index}`));
  };
  look('tools', request.tools);
  look('system', request.system);
  request.messages.forEach((message, index) => look(`messages.${index}`, message.content));
  return marks;
}

function withoutMarks(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
}

const history = [
  user(text('Do it.')),
  assistant(thinking, toolUse('toolu_1')),
  user(toolResult('toolu_1')),
  assistant(text('Next.'), toolUse('toolu_2'), toolUse('toolu_3')),
  user(toolResult('toolu_2'), toolResult('toolu_3')),
];

describe('toProviderRequest', () => {
  it('gives equal bytes for equal requests', () => {
    const request = aRequest({ messages: history });
    expect(JSON.stringify(toProviderRequest(structuredClone(request)))).toBe(
      JSON.stringify(toProviderRequest(request)),
    );
  });

  it('maps the whole request, and asks for no sampling', () => {
    expect(toProviderRequest(aRequest())).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 8_000,
      thinking: { type: 'disabled' },
      system: [{ type: 'text', text: 'You are careful.', cache_control: { type: 'ephemeral' } }],
      tools: [
        {
          name: 'read_file',
          description: 'Reads.',
          input_schema: { type: 'object', properties: { path: { type: 'string' } } },
        },
        {
          name: 'write_file',
          description: 'Writes.',
          input_schema: { type: 'object' },
          cache_control: { type: 'ephemeral' },
        },
      ],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Do it.', cache_control: { type: 'ephemeral' } }] },
      ],
      stream: true,
    });
  });

  it('keeps the tools when no tool may be called', () => {
    const request = toProviderRequest(aRequest({ toolChoice: { type: 'none' } }));
    expect(request.tools).toHaveLength(2);
    expect(request.tool_choice).toEqual({ type: 'none' });
    expect(
      toProviderRequest(aRequest({ toolChoice: { type: 'tool', name: 'read_file' } })).tool_choice,
    ).toEqual({
      type: 'tool',
      name: 'read_file',
    });
  });

  it('leaves out tools, tool choice and system when there are none', () => {
    const request = toProviderRequest(aRequest({ tools: [], system: ' ' }));
    expect(request).not.toHaveProperty('tools');
    expect(request).not.toHaveProperty('tool_choice');
    expect(request).not.toHaveProperty('system');
  });

  it('marks the last tool, the system, the newest message, and the newest message of the previous request', () => {
    expect(marksOf(toProviderRequest(aRequest({ messages: history })))).toEqual([
      'tools:1',
      'system:0',
      'messages.2:0',
      'messages.4:1',
    ]);
  });

  it('marks in each request what the one before it wrote, so that it is read', () => {
    for (const end of [3, 5]) {
      const written = marksOf(toProviderRequest(aRequest({ messages: history.slice(0, end - 2) }))).at(-1);
      expect(marksOf(toProviderRequest(aRequest({ messages: history.slice(0, end) })))).toContain(written);
    }
  });

  it('reads what was written also when steering made two user messages of a turn', () => {
    const messages = [...history.slice(0, 3), user(text('And hurry.'))];
    const written = marksOf(toProviderRequest(aRequest({ messages }))).at(-1);
    expect(written).toBe('messages.3:0');
    const next = [...messages, assistant(toolUse('toolu_9')), user(toolResult('toolu_9'))];
    expect(marksOf(toProviderRequest(aRequest({ messages: next })))).toContain(written);
  });

  it('puts no mark on empty text, nor on an answer that goes on', () => {
    const messages = [user(text('Do it.'), text(' ')), assistant(text('So.'), thinking)];
    expect(marksOf(toProviderRequest(aRequest({ messages })))).toEqual([
      'tools:1',
      'system:0',
      'messages.0:0',
    ]);
    expect(marksOf(toProviderRequest(aRequest({ messages: [user(text(''))] })))).toEqual([
      'tools:1',
      'system:0',
    ]);
  });

  it('sends a prefix of the next request, apart from the marks', () => {
    for (let end = 1; end < history.length; end += 1) {
      const shorter = toProviderRequest(aRequest({ messages: history.slice(0, end) }));
      const longer = toProviderRequest(aRequest({ messages: history.slice(0, end + 1) }));
      const prefix = withoutMarks(shorter.messages).slice(0, -1);
      expect(withoutMarks(longer.messages).startsWith(`${prefix},`)).toBe(true);
      expect(withoutMarks({ ...longer, messages: [] })).toBe(withoutMarks({ ...shorter, messages: [] }));
    }
  });

  it('sends content as it was stored, unknown fields included, and changes nothing of it', () => {
    const odd = {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'x',
      input: { b: 1, a: 2 },
      caller: { type: 'direct' },
    } as const;
    const messages = [user(text('a')), assistant(odd), user(toolResult('toolu_1'))];
    const before = JSON.stringify(messages);
    const sent = toProviderRequest(aRequest({ messages }));
    expect(JSON.stringify(sent.messages[1]?.content)).toBe(JSON.stringify([odd]));
    expect(JSON.stringify(messages)).toBe(before);
  });
});

describe('pictures and documents', () => {
  const media = (sha256: string, mediaType: Media['mediaType']): Media => ({
    ...{ sha256, mediaType, bytes: 3, width: 1, height: 1, pages: null },
  });
  const picture = media('a'.repeat(64), 'image/png');
  const paper = media('b'.repeat(64), 'application/pdf');
  const bytes = new Map([
    [picture.sha256, 'UE5H'],
    [paper.sha256, 'UERG'],
  ]);

  it('go out with their bytes where rows only name them: beside the prompt, and in results behind their words', () => {
    const messages = [
      user(text('Look.'), { type: 'image', media: picture }, { type: 'document', media: paper }),
      assistant(toolUse('toolu_1')),
      user({ ...toolResult('toolu_1'), media: [picture] } as ContentBlock),
    ];
    const sent = toProviderRequest(aRequest({ messages, media: bytes }));
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'UE5H' } };
    expect(JSON.parse(withoutMarks(sent.messages))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          image,
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'UERG' } },
        ],
      },
      { role: 'assistant', content: [toolUse('toolu_1')] },
      {
        role: 'user',
        content: [
          {
            ...{ type: 'tool_result', tool_use_id: 'toolu_1' },
            content: [{ type: 'text', text: 'content of toolu_1' }, image],
          },
        ],
      },
    ]);
    expect(marksOf(sent)).toContain('messages.2:0');
  });

  it('are never left out unseen: a request without their bytes is none', () => {
    const messages = [user({ type: 'image', media: picture })];
    expect(() => toProviderRequest(aRequest({ messages }))).toThrow(picture.sha256);
  });
});
