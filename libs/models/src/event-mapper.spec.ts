import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerParser, historyProblems, withoutLastThoughts, type ParsedAnswer } from '@bullpen/core';
import { EventMapper } from './event-mapper.js';
import { asFields, asText } from './wire-values.js';

type Wire = Readonly<Record<string, unknown>>;

const start = (id: unknown = 'msg_1', usage: unknown = { input_tokens: 100, output_tokens: 1 }): Wire => ({
  type: 'message_start',
  message: { id, content: [], usage },
});
const open = (index: unknown, block: unknown): Wire => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: unknown, inner: unknown): Wire => ({
  type: 'content_block_delta',
  index,
  delta: inner,
});
const words = (index: unknown, text: unknown) => delta(index, { type: 'text_delta', text });
const json = (index: unknown, partial: unknown) =>
  delta(index, { type: 'input_json_delta', partial_json: partial });
const close = (index: unknown): Wire => ({ type: 'content_block_stop', index });
const end = (reason: unknown, usage: unknown = { output_tokens: 20 }): Wire => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage,
});
const stop: Wire = { type: 'message_stop' };
const text = (index: unknown, words_: string) => [
  open(index, { type: 'text', text: '' }),
  words(index, words_),
  close(index),
];
const call = (index: unknown, id: unknown, args = '{"path":"a"}', name: unknown = 'read_file') => [
  open(index, { type: 'tool_use', id, name, input: {} }),
  json(index, args),
  close(index),
];

/** What becomes of an answer of these events. */
function read(...events: readonly Wire[]): ParsedAnswer {
  const [mapper, parser] = [new EventMapper(), new AnswerParser()];
  for (const event of events)
    for (const chunk of mapper.map({ type: asText(event['type']), fields: asFields(event) }))
      parser.push(chunk);
  return parser.finish(new Set());
}

const texts = (answer: ParsedAnswer) =>
  answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
const calls = (answer: ParsedAnswer) =>
  answer.toolCalls.map(({ toolUseId, tool, arguments: args }) => [toolUseId, tool, args]);

describe('the numbers of blocks on the wire', () => {
  it.each<[string, unknown, unknown]>([
    ['are not counted from zero', 7, 3],
    ['are negative or fractional', -1, 0.5],
    ['are texts', '0', '1'],
    ['are missing', undefined, undefined],
    ['are null', null, null],
    ['are the same for all blocks, one after the other', 0, 0],
    ['are no numbers at all', { at: 1 }, [2]],
  ])('may be strange: they %s', (_, first, second) => {
    const answer = read(start(), ...text(first, 'Looking.'), ...call(second, 'a'), end('tool_use'), stop);
    expect(texts(answer)).toEqual(['Looking.']);
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'a' }]]);
  });

  it('may be a number at the start and a text in the pieces', () => {
    const answer = read(
      start(),
      open(0, { type: 'text', text: '' }),
      open(1, { type: 'text', text: '' }),
      words('1', 'b'),
      words('0', 'a'),
      end('end_turn'),
    );
    expect(texts(answer)).toEqual(['a', 'b']);
  });

  it('may be those of a block of another kind: what comes goes to the open block that can take it', () => {
    const answer = read(
      start(),
      open(0, { type: 'text', text: '' }),
      words(0, 'Looking.'),
      open(1, { type: 'tool_use', id: 'a', name: 'read_file', input: {} }),
      json(0, '{"path":"a"}'),
      close(1),
      close(0),
      end('tool_use'),
    );
    expect(texts(answer)).toEqual(['Looking.']);
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'a' }]]);
  });
});

describe('the order of events', () => {
  it('may have pieces before the start of their block', () => {
    const answer = read(
      start(),
      words(0, 'Look'),
      open(0, { type: 'text', text: '' }),
      words(0, 'ing.'),
      close(0),
      json(1, '{"path":'),
      open(1, { type: 'tool_use', id: 'a', name: 'read_file', input: {} }),
      json(1, '"a"}'),
      close(1),
      end('tool_use'),
    );
    expect(texts(answer)).toEqual(['Looking.']);
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'a' }]]);
  });

  it('may have pieces behind the stop of their block', () => {
    const answer = read(start(), ...text(0, 'Look'), words(0, 'ing.'), end('end_turn'), stop);
    expect(texts(answer)).toEqual(['Looking.']);
  });

  it('may have the end of the message before the last block', () => {
    const answer = read(start(), end('tool_use'), ...text(0, 'Looking.'), ...call(1, 'a'), stop);
    expect(texts(answer)).toEqual(['Looking.']);
    expect(calls(answer)).toHaveLength(1);
  });

  it('may lack starts: text gets a block of its own, and arguments that nobody said are a call are none', () => {
    const answer = read(start(), words(0, 'Looking.'), json(1, '{"path":"a"}'), end('end_turn'));
    expect(answer).toMatchObject({ text: 'Looking.', toolCalls: [] });
  });

  it('may bring a call without a name: an error result', () => {
    const answer = read(start(), ...call(0, 'a', '{}', null), end('tool_use'));
    expect(answer.toolCalls).toMatchObject([{ problem: expect.stringContaining('no tool name') }]);
  });

  it('may repeat the start of a block, and its stop', () => {
    const begin = open(0, { type: 'tool_use', id: 'a', name: 'read_file', input: {} });
    const answer = read(start(), begin, begin, json(0, '{"path":"a"}'), close(0), close(0), end('tool_use'));
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'a' }]]);
  });

  it('takes nothing behind the end of the message', () => {
    const answer = read(start(), ...text(0, 'Done.'), end('end_turn'), stop, ...text(1, 'Not mine.'));
    expect(texts(answer)).toEqual(['Done.']);
  });
});

describe('two messages in one stream', () => {
  it('are one when the second is only the first once more', () => {
    const answer = read(start(), start(), ...text(0, 'Done.'), end('end_turn'));
    expect(texts(answer)).toEqual(['Done.']);
    expect(answer.usage?.inputTokens).toBe(100);
  });

  it('leave the second when nothing of the first was completed, and both are paid', () => {
    const first = [start('msg_1'), open(0, { type: 'text', text: '' }), words(0, 'Hal')];
    const answer = read(...first, start('msg_2'), ...call(0, 'a'), end('tool_use'), stop);
    expect(answer).toMatchObject({ text: '', complete: true, usage: { inputTokens: 200, outputTokens: 21 } });
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'a' }]]);
  });

  it('leave nothing of a first that is void: what has no start of its own stands where it came in the second', () => {
    const first = [start('msg_1'), open(0, { type: 'text', text: '' }), words(0, 'Hal')];
    const answer = read(...first, start('msg_2'), ...call(3, 'a'), words(9, 'Done.'), end('tool_use'));
    expect(answer.content.map(({ type }) => type)).toEqual(['tool_use', 'text']);
    expect(texts(answer)).toEqual(['Done.']);
  });

  it('leave the first, cut, when a part of it was completed: no call runs twice', () => {
    const first = [start('msg_1'), ...text(0, 'Looking.'), ...call(1, 'a')];
    const answer = read(...first, start('msg_2'), ...call(0, 'b'), end('tool_use'), stop);
    expect(answer).toMatchObject({ text: 'Looking.', complete: false });
    expect(answer.toolCalls).toMatchObject([{ toolUseId: 'a', problem: expect.stringContaining('cut off') }]);
  });

  it('leave the first when it had ended', () => {
    const first = [start('msg_1'), ...text(0, 'Done.'), end('end_turn'), stop];
    expect(read(...first, start('msg_2'), ...text(0, 'More.'), end('end_turn'))).toMatchObject({
      text: 'Done.',
      complete: true,
    });
  });
});

describe('what comes with the start of a block', () => {
  it('counts: text, thinking with its signature, and arguments', () => {
    const answer = read(
      start(),
      open(0, { type: 'thinking', thinking: 'Hm.', signature: 'sig' }),
      close(0),
      open(1, { type: 'text', text: 'Looking.' }),
      close(1),
      open(2, { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'a' } }),
      close(2),
      open(3, { type: 'tool_use', id: 'b', name: 'read_file', input: '{"path":"b"}' }),
      close(3),
      end('tool_use'),
    );
    expect(answer.content.slice(0, 2)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Looking.' },
    ]);
    expect(calls(answer)).toEqual([
      ['a', 'read_file', { path: 'a' }],
      ['b', 'read_file', { path: 'b' }],
    ]);
  });

  it('is a part of what the pieces complete, or gives way to them', () => {
    const answer = read(
      start(),
      open(0, { type: 'thinking', thinking: '', signature: 'early' }),
      delta(0, { type: 'signature_delta', signature: 'early' }),
      delta(0, { type: 'signature_delta', signature: '-late' }),
      close(0),
      open(1, { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'early' } }),
      json(1, '{"path":"late"}'),
      close(1),
      end('tool_use'),
    );
    expect(answer.content[0]).toMatchObject({ signature: 'early-late' });
    expect(calls(answer)).toEqual([['a', 'read_file', { path: 'late' }]]);
  });
});

describe('the usage on the wire', () => {
  it.each<[string, unknown, unknown, number, number]>([
    ['fractional', { input_tokens: 120.5 }, { output_tokens: 12.25 }, 121, 13],
    ['negative', { input_tokens: -5 }, { output_tokens: -1 }, 0, 0],
    ['beyond all measure', { input_tokens: 1e300 }, { output_tokens: Infinity }, 0, 0],
    ['no numbers', { input_tokens: '120' }, { output_tokens: {} }, 0, 0],
    ['no object', 'much', [1], 0, 0],
  ])('is marked as doubtful when its figures are %s', (_, first, last, inputTokens, outputTokens) => {
    const answer = read(start('msg_1', first), ...text(0, 'Done.'), end('end_turn', last));
    expect(answer).toMatchObject({ usageDoubtful: true, usage: { inputTokens, outputTokens } });
  });

  it('may be missing in parts, or altogether', () => {
    expect(read(start('m', null), ...text(0, 'x'), end('end_turn', null)).usage).toBeNull();
    const answer = read(
      start('m', { input_tokens: 5 }),
      ...text(0, 'x'),
      end('end_turn', { output_tokens: null }),
    );
    expect(answer).toMatchObject({ usageDoubtful: false, usage: { inputTokens: 5, outputTokens: 0 } });
  });
});

describe('the terms of an answer', () => {
  it('are passed on, also when a later report leaves them out', () => {
    const usage = { input_tokens: 10, inference_geo: 'us', service_tier: 'standard' };
    const last = end('end_turn', { output_tokens: 5, inference_geo: null });
    const answer = read(start('msg_1', usage), ...text(0, 'Done.'), last);
    expect(answer.terms).toEqual({ inferenceGeo: 'us', serviceTier: 'standard' });
  });

  it.each([{ inference_geo: 7, service_tier: {} }, { inference_geo: '', service_tier: null }, {}])(
    'are none when the provider says %j',
    (said) => expect(read(start('msg_1', { input_tokens: 10, ...said })).terms).toBeNull(),
  );
});

describe('whatever is on the wire', () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, 0, 1, '1', -1, 0.5, '', 'text', [], {}, true),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const block = fc.oneof(
    value,
    fc.record({
      type: fc.oneof(
        value,
        fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use', 'image'),
      ) as fc.Arbitrary<unknown>,
      text: value,
      thinking: value,
      signature: value,
      data: value,
      id: value,
      name: fc.oneof(value, fc.constant('read_file')),
      input: fc.oneof(value, fc.jsonValue({ maxDepth: 2 })),
    }),
  );
  const inner = fc.record({
    type: fc.oneof(
      value,
      fc.constantFrom('text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'),
    ) as fc.Arbitrary<unknown>,
    text: value,
    thinking: value,
    signature: value,
    partial_json: fc.oneof(value, fc.constantFrom('{"a":', '1}', '{"a":"\\ud83d"}', '{"\\u0000":1}')),
    stop_reason: fc.oneof(value, fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'length')),
  });
  const event = fc.record({
    type: fc.oneof(
      value,
      fc.constantFrom(
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ),
    ) as fc.Arbitrary<unknown>,
    index: value,
    message: fc.oneof(
      value,
      fc.record({
        id: value,
        usage: fc.oneof(value, fc.dictionary(fc.constantFrom('input_tokens', 'output_tokens'), value)),
      }),
    ),
    content_block: block,
    delta: fc.oneof(value, inner),
    usage: fc.oneof(value, fc.dictionary(fc.constantFrom('input_tokens', 'output_tokens'), value)),
  });

  it('never throws, and gives an answer that may be stored and sent back', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 14 }), (events) => {
        const answer = read(...events);
        for (const count of Object.values(answer.usage ?? {})) {
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
        expect(JSON.stringify(answer.content)).toBe(JSON.stringify(answer.content).toWellFormed());
        expect(/\\u0000|\\ud[89a-f]/.test(JSON.stringify(answer.content).replaceAll('\\\\', ''))).toBe(false);
        const asked = answer.toolCalls.map(({ toolUseId }) => ({
          type: 'tool_result' as const,
          tool_use_id: toolUseId,
          content: 'ok',
        }));
        if (!answer.content.some(({ type }) => type === 'text' || type === 'tool_use')) return;
        expect(
          historyProblems([
            { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
            { role: 'assistant', content: withoutLastThoughts(answer.content) },
            { role: 'user', content: [...asked, { type: 'text', text: 'On.' }] },
          ]),
        ).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });
});
