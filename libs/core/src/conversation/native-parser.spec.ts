import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerParser, type ModelChunk } from '@bullpen/core';
import { modelError } from '@bullpen/testing';

const NONE: ReadonlySet<string> = new Set();
const stop = (stopReason = 'end_turn'): ModelChunk => ({ type: 'stop', stopReason });
const call = (index: number, id: string, json: string, ended = true): ModelChunk[] => [
  { type: 'tool_call_start', index, id, name: 'read_file' },
  ...[...json].map((piece): ModelChunk => ({ type: 'tool_call_delta', index, json: piece })),
  ...(ended ? [{ type: 'tool_call_end', index } as const] : []),
];
const parse = (chunks: readonly ModelChunk[], taken = NONE) => {
  const parser = new AnswerParser();
  for (const chunk of chunks) parser.push(chunk);
  return parser.finish(taken);
};

describe('the native parser', () => {
  it('keeps interleaved parallel calls apart', () => {
    const [a, b] = [call(0, 'a', '{"path":"one"}'), call(1, 'b', '{"path":"two"}')];
    const mixed = a.flatMap((chunk, at) => [chunk, ...(b[at] ? [b[at]] : [])]);
    expect(parse([...mixed, stop('tool_use')]).toolCalls.map(({ arguments: args }) => args)).toEqual([
      { path: 'one' },
      { path: 'two' },
    ]);
  });

  it('gives the same answer wherever the pieces are split', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.array(fc.nat(40), { maxLength: 8 }),
        (json, text, cuts) => {
          const pieces = (whole: string) => {
            const at = [
              0,
              ...cuts.map((cut) => cut % (whole.length + 1)).sort((x, y) => x - y),
              whole.length,
            ];
            return at.slice(1).map((end, n) => whole.slice(at[n], end));
          };
          const raw = `{"value":${json}}`;
          const chunks: ModelChunk[] = [
            ...pieces(text).map((piece): ModelChunk => ({ type: 'text', index: 0, text: piece })),
            { type: 'block_end', index: 0 },
            { type: 'tool_call_start', index: 1, id: 't', name: 'x' },
            ...pieces(raw).map((piece): ModelChunk => ({ type: 'tool_call_delta', index: 1, json: piece })),
            { type: 'tool_call_end', index: 1 },
            stop('tool_use'),
          ];
          const answer = parse(chunks);
          expect(answer.toolCalls[0]?.arguments).toEqual(JSON.parse(answer.toolCalls[0]?.rawArguments ?? ''));
          if (text.trim() !== '') expect(answer.text).toBe(text.replaceAll('\u0000', '\u2400'));
        },
      ),
    );
  });

  it('takes no argument text as no arguments, and names what is not an object', () => {
    expect(parse([...call(0, 'a', ''), stop()]).toolCalls[0]).toMatchObject({ arguments: {}, problem: null });
    for (const raw of ['[1]', '"text"', 'null', '{"a":', 'nonsense']) {
      const answer = parse([...call(0, 'a', raw), stop()]);
      expect(answer.toolCalls[0]).toMatchObject({ arguments: null, problem: expect.stringContaining(raw) });
      // The block itself must stay legal for the provider.
      expect(answer.content[0]).toMatchObject({ type: 'tool_use', input: {} });
    }
  });

  it('drops a call that never ended with the stream, and keeps what had ended before', () => {
    const text: ModelChunk[] = [
      { type: 'text', index: 0, text: 'Hello' },
      { type: 'block_end', index: 0 },
    ];
    const answer = parse([...text, ...call(1, 'a', '{"path":"x"}', false)]);
    expect(answer).toMatchObject({ complete: false, text: 'Hello', toolCalls: [] });
  });

  it.each(['max_tokens', 'length', 'content_filter', 'model_context_window_exceeded', 'pause_turn', ''])(
    'uses no call of an answer that stopped with the reason "%s", however complete it looks',
    (reason) => {
      const answer = parse([...call(0, 'a', '{"n":1}'), ...call(1, 'b', '{"n":2}'), stop(reason)]);
      expect(answer.toolCalls).toMatchObject([
        { arguments: null, problem: expect.stringContaining('cut off') },
        { arguments: null, problem: expect.stringContaining('cut off') },
      ]);
      // What it asked for stays readable in the history.
      expect(answer.content).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }]);
    },
  );

  it('uses no call of a stream that broke off, and keeps it with the reason', () => {
    const answer = parse(call(0, 'a', '{"n":1}'));
    expect(answer).toMatchObject({
      complete: false,
      toolCalls: [{ problem: expect.stringContaining('cut off') }],
    });
  });

  it('makes text well-formed that comes in through escapes, in values and in keys', () => {
    const answer = parse([...call(0, 'a', '{"\\ud83d k":["x \\udc00 y\\u0000"]}'), stop('tool_use')]);
    expect(answer.toolCalls[0]?.arguments).toEqual({ '\ufffd k': ['x \ufffd y\u2400'] });
    expect(answer.content[0]).toMatchObject({ input: { '\ufffd k': ['x \ufffd y\u2400'] } });
  });

  it('cuts the arguments that it quotes on a code point', () => {
    const raw = `{"path":"m.txt","content":"${'z'.repeat(472)}${'😀'.repeat(30)}`;
    const problem = parse([...call(0, 'a', raw), stop('tool_use')]).toolCalls[0]?.problem ?? '';
    expect(problem.isWellFormed()).toBe(true);
    expect(problem).toContain('not a JSON object');
  });

  it('names arguments that are nested beyond any sense as such', () => {
    const raw = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(parse([...call(0, 'a', raw), stop('tool_use')]).toolCalls[0]).toMatchObject({
      arguments: null,
      problem: expect.stringContaining('not a JSON object'),
    });
  });

  it('runs no call whose name had to be changed to be legal', () => {
    const named = (name: string): ModelChunk[] => [
      { type: 'tool_call_start', index: 0, id: 'a', name },
      { type: 'tool_call_end', index: 0 },
      stop('tool_use'),
    ];
    expect(parse(named('read file')).toolCalls[0]).toMatchObject({
      tool: 'read_file',
      problem: expect.stringContaining('There is no tool named "read file"'),
    });
    expect(parse(named('')).toolCalls[0]).toMatchObject({
      tool: 'unnamed',
      problem: expect.stringMatching(/no tool name/),
    });
    expect(parse(named('x'.repeat(300))).toolCalls[0]?.tool).toHaveLength(128);
  });

  it('gives repeated or illegal ids a legal, unique form, also against earlier turns', () => {
    const answer = parse(
      [
        ...call(0, 'a', '{}'),
        ...call(1, 'a', '{}'),
        ...call(2, 'ü:!', '{}'),
        ...call(3, 'old', '{}'),
        stop(),
      ],
      new Set(['old']),
    );
    expect(answer.toolCalls.map(({ toolUseId }) => toolUseId)).toEqual(['a', 'a_2', '___', 'old_2']);
  });

  it('never stores empty text or unsigned thinking, and keeps signed and redacted thinking in place', () => {
    const answer = parse([
      { type: 'reasoning', index: 0, text: 'hm', signature: 'sig' },
      { type: 'text', index: 1, text: ' \n' },
      { type: 'reasoning', index: 2, text: 'unsigned' },
      { type: 'reasoning', index: 3, text: '', redacted: 'xyz' },
      { type: 'text', index: 4, text: 'ok' },
      stop(),
    ]);
    expect(answer.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'ok' },
    ]);
  });

  it('keeps no text of an error that the record cannot hold', () => {
    const error = modelError({ class: 'request', message: 'a\u0000b\ud83d', providerRequestId: 'req\u0000' });
    expect(parse([{ type: 'error', error }]).error).toMatchObject({
      message: 'a\u2400b\ufffd',
      providerRequestId: 'req\u2400',
    });
  });

  it('keeps two answers apart that are parsed at the same time', () => {
    const [a, b] = [new AnswerParser(), new AnswerParser()];
    a.push({ type: 'text', index: 0, text: 'A' });
    b.push({ type: 'text', index: 0, text: 'B' });
    expect([a.finish(NONE).complete, b.finish(NONE).complete]).toEqual([false, false]);
    a.push(stop());
    b.push(stop());
    expect([a.finish(NONE).text, b.finish(NONE).text]).toEqual(['A', 'B']);
  });
});
