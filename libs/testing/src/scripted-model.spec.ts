import { describe, expect, it } from '@jest/globals';
import type { ModelChunk } from '@bullpen/core';
import { aModelRequest } from './builders.js';
import { ScriptedModel } from './scripted-model.js';

const NEVER = new AbortController().signal;

describe('ScriptedModel', () => {
  it('streams its answers in order, in pieces, and keeps the requests', async () => {
    const model = new ScriptedModel(
      { reasoning: 'hm', text: 'Hello', toolCalls: [{ name: 'look', input: { at: 'it' } }] },
      { text: 'Bye' },
    );
    const first = await chunksOf(model);
    expect(first.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'response', providerRequestId: 'req_scripted_1', simulated: false },
      { type: 'reasoning', index: 0, text: 'h' },
      { type: 'reasoning', index: 0, text: 'm' },
      { type: 'reasoning', index: 0, text: '', signature: 'signature of hm' },
      { type: 'block_end', index: 0 },
      { type: 'text', index: 1, text: 'Hel' },
      { type: 'text', index: 1, text: 'lo' },
      { type: 'block_end', index: 1 },
      { type: 'tool_call_start', index: 2, id: 'toolu_1', name: 'look' },
      { type: 'tool_call_delta', index: 2, json: '{"at":' },
      { type: 'tool_call_delta', index: 2, json: '"it"}' },
      { type: 'tool_call_end', index: 2 },
      { type: 'stop', stopReason: 'tool_use' },
    ]);
    expect((await chunksOf(model)).at(-1)).toEqual({ type: 'stop', stopReason: 'end_turn' });
    expect(model.requests).toHaveLength(2);
    expect(() => model.assertDone()).not.toThrow();
  });

  it('makes an answer from the request when the script says so', async () => {
    const model = new ScriptedModel((request) => ({ text: request.system }));
    expect(textOf(await chunksOf(model))).toBe('You are a test.');
  });

  it('cuts a stream, and ends one with an error', async () => {
    const model = new ScriptedModel(
      { text: 'Hello', cutAfterChunks: 3 },
      { text: 'Hi', error: { class: 'overload', httpStatus: 529 } },
    );
    expect(textOf(await chunksOf(model))).toBe('Hel');
    expect((await chunksOf(model)).at(-1)).toMatchObject({
      type: 'error',
      error: { class: 'overload', httpStatus: 529 },
    });
  });

  it('holds a stream until the promise resolves, or its signal fires', async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const model = new ScriptedModel(
      { text: 'late', until },
      { text: 'never', until: new Promise(() => undefined) },
    );
    const late = chunksOf(model);
    release();
    expect(textOf(await late)).toBe('late');

    const controller = new AbortController();
    const stopped = chunksOf(model, controller.signal);
    controller.abort();
    expect(await stopped).toEqual([
      expect.objectContaining({ type: 'error', error: expect.objectContaining({ class: 'aborted' }) }),
    ]);
  });

  it('fails on a call that the script does not have, and on an answer that nobody asked for', async () => {
    const empty = new ScriptedModel();
    await expect(chunksOf(empty)).rejects.toThrow(/Unexpected model call 1/);
    expect(() => empty.assertDone()).toThrow(/1 time\(s\) more/);

    const unused = new ScriptedModel({ text: 'x' });
    expect(() => unused.assertDone()).toThrow(/1 scripted answer\(s\)/);
  });
});

async function chunksOf(model: ScriptedModel, signal: AbortSignal = NEVER): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(aModelRequest(), signal, () => true)) chunks.push(chunk);
  return chunks;
}

function textOf(chunks: readonly ModelChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('');
}
