/** What a model says goes back to it as it came, whatever it is: through the stream, the record and the next request. */
import { describe, expect, it } from '@jest/globals';
import { ContentBlock } from '@bullpen/contracts';
import { AnswerParser, builtInProfile, type ParsedAnswer } from '@bullpen/core';
import fc from 'fast-check';
import { z } from 'zod';
import { EventMapper } from './event-mapper.js';
import { toProviderRequest } from './to-provider-request.js';
import { asFields, asText } from './wire-values.js';

type Block = Readonly<Record<string, unknown>>;

/** The events with which the provider streams a block: what it streams in pieces is empty at the start. */
function eventsOf(block: Block, index: number): Block[] {
  const at = (type: string, more: object) => ({ type, index, ...more });
  const deltas = (...pieces: object[]) => pieces.map((delta) => at('content_block_delta', { delta }));
  const start = (empty: object, ...pieces: object[]) => [
    at('content_block_start', { content_block: { ...block, ...empty } }),
    ...deltas(...pieces),
    at('content_block_stop', {}),
  ];
  switch (block['type']) {
    case 'text': {
      const citations = (block['citations'] ?? []) as object[];
      return start(
        { text: '', ...(block['citations'] !== undefined && { citations: [] }) },
        { type: 'text_delta', text: block['text'] },
        ...citations.map((citation) => ({ type: 'citations_delta', citation })),
      );
    }
    case 'thinking':
      return start(
        { thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: block['thinking'] },
        { type: 'signature_delta', signature: block['signature'] },
      );
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const json = JSON.stringify(block['input']);
      const half = Math.floor(json.length / 2);
      return start(
        { input: {} },
        ...['', json.slice(0, half), json.slice(half)].map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      );
    }
    default:
      return start({});
  }
}

function streamed(content: readonly Block[], stopReason: string): Block[] {
  return [
    { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 9 } } },
    ...content.flatMap(eventsOf),
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
}

function read(events: readonly Block[]): ParsedAnswer {
  const [mapper, parser] = [new EventMapper(), new AnswerParser()];
  for (const event of events)
    for (const chunk of mapper.map({ type: asText(event['type']), fields: asFields(event) }))
      parser.push(chunk);
  return parser.finish(new Set());
}

/** The content of the next request, after the record: stored as JSON, and read as it is stored. */
function sentAgain({ content }: ParsedAnswer): unknown {
  const stored = z.array(ContentBlock).parse(JSON.parse(JSON.stringify(content)));
  const request = toProviderRequest({
    ...builtInProfile('claude-opus-5-5'),
    ...{ system: 'Be kind.', tools: [], toolChoice: { type: 'none' } },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { role: 'assistant', content: stored },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ],
  });
  return request.messages[1]?.content;
}

const SEARCH: Block[] = [
  { type: 'thinking', thinking: 'Where is it?', signature: 'c2lnMQ==' },
  { type: 'redacted_thinking', data: 'EmwKAhgB' },
  { type: 'text', text: 'I look it up.' },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'answer' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://x.test', title: 'X', encrypted_content: 'Eo8=' }],
  },
  { type: 'thinking', thinking: 'There.', signature: 'c2lnMg==' },
  {
    type: 'text',
    text: 'It is 42.',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://x.test',
        encrypted_index: 'Eo==',
        cited_text: '42',
      },
      {
        type: 'web_search_result_location',
        url: 'https://y.test',
        encrypted_index: 'Ep==',
        cited_text: '43',
      },
    ],
  },
  { type: 'server_tool_use', id: 'srvtoolu_2', name: 'bash_code_execution', input: { command: 'ls' } },
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'bash_code_execution_result', stdout: 'a\n', return_code: 0, content: [] },
  },
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'm', input: { a: [1, 2] } },
  { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [] },
  { type: 'container_upload', file_id: 'file_1' },
  { type: 'block_of_next_year', later: { b: 1, a: [true, null] } },
  { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' }, caller: { type: 'direct' } },
];

describe('an answer goes back as it came', () => {
  it('with thinking in its place, searches, code, citations, fields and blocks that nobody knows', () => {
    const answer = read(streamed(SEARCH, 'tool_use'));
    expect(sentAgain(answer)).toEqual(SEARCH);
    expect(answer.toolCalls.map(({ toolUseId }) => toolUseId)).toEqual(['toolu_1']);
    const bytes = (content: unknown) =>
      (content as Block[])
        .filter(({ type }) => !/^(text|thinking|tool_use)$/.test(String(type)))
        .map((block) => JSON.stringify(block));
    expect(bytes(sentAgain(answer))).toEqual(bytes(SEARCH));
  });

  it('whatever it is made of', () => {
    const words = fc
      .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
      .filter((text) => text.trim() !== '');
    const json = fc
      .jsonValue({ maxDepth: 3, depthSize: 'small', stringUnit: 'grapheme' })
      .filter((value) => !hides(value))
      // As it is on the wire, where there is no negative zero.
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const fields = fc.dictionary(words, json).filter((value) => !hides(value));
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text: words }),
      fc.record({ type: fc.constant('text'), text: words, citations: fc.array(fields) }),
      fc.record({
        type: fc.constant('thinking'),
        thinking: fc.string({ unit: 'grapheme' }),
        signature: words,
      }),
      fc.record({ type: fc.constant('redacted_thinking'), data: words }),
      fc.record({ type: fc.constantFrom('some_result', 'image', 'document', 'provider'), a: json, b: json }),
      fc.record({
        type: fc.constant('server_tool_use'),
        id: words,
        name: words,
        input: fields,
      }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const content = [...blocks, { type: 'text', text: 'end' }];
        expect(sentAgain(read(streamed(content, 'end_turn')))).toEqual(content);
      }),
      { numRuns: 200 },
    );
  });

  it.each(['max_tokens', 'some_new_reason', 'model_context_window_exceeded', 'refusal'])(
    'without a call of the provider whose result the end of it (%s) has cut off: that would be refused',
    (reason) => {
      const cut = SEARCH.slice(0, 4);
      expect(sentAgain(read(streamed(cut, reason)))).toEqual(SEARCH.slice(0, 3));
      const [whole, half] = [streamed(SEARCH.slice(0, 5), reason), streamed(cut, reason).slice(0, -4)];
      expect(sentAgain(read(whole))).toEqual(SEARCH.slice(0, 5));
      expect(sentAgain(read(half))).toEqual(SEARCH.slice(0, 3));
    },
  );

  it('with such a call when it only pauses, or waits for calls of ours', () => {
    const paused = SEARCH.slice(0, 4);
    expect(sentAgain(read(streamed(paused, 'pause_turn')))).toEqual(paused);
    const both = [...paused, ...SEARCH.slice(-1)];
    expect(sentAgain(read(streamed(both, 'tool_use')))).toEqual(both);
  });

  it('also when the connection dies right after its end was told', () => {
    const events = streamed(SEARCH.slice(0, 5), 'pause_turn');
    const dying = [...events.slice(0, -3), ...events.slice(-2, -1)];
    expect(sentAgain(read(dying))).toEqual(SEARCH.slice(0, 5));
  });
});

/** A name that JavaScript keeps for itself or puts before all others. */
function hides(value: unknown): boolean {
  return /"(?:__proto__|\d+)":/.test(JSON.stringify(value));
}
