/** What every implementation of the `Model` port must do, whatever it talks to. Run by each of them in its own spec. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnswerParser, type ParsedAnswer } from '../conversation/native-parser.js';
import { builtInProfile } from '../task/model-facts.js';
import type { Model, ModelChunk, ModelRequest } from '../ports/model.js';

/** How an implementation is made to behave. Each call prepares the next stream only. */
export interface ModelHarness {
  readonly model: Model;
  /** Answers with this text and one call of the tool `look` with `{"at": 1}`. */
  answer(text: string): void;
  /** The provider is overloaded: no answer. */
  overload(): void;
  /** Says something, then breaks off without an end. */
  cut(): void;
  /** Takes so long that only the signal ends it. */
  hang(): void;
  /** Requests that came in so far. */
  requests(): number;
  close(): Promise<void>;
}

const REQUEST: ModelRequest = {
  ...builtInProfile('claude-sonnet-5-5'),
  maxOutputTokens: 1_000,
  system: 'Agent: contract',
  tools: [
    {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object', properties: { at: { type: 'integer' } } },
    },
  ],
  toolChoice: { type: 'auto' },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }] }],
};

export function modelContract(name: string, open: () => Promise<ModelHarness>): void {
  describe(`${name} as a model`, () => {
    let harness: ModelHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    async function read(
      signal = new AbortController().signal,
      maySend = () => true,
    ): Promise<{ chunks: ModelChunk[]; answer: ParsedAnswer }> {
      const parser = new AnswerParser();
      const chunks: ModelChunk[] = [];
      for await (const chunk of harness.model.stream(REQUEST, signal, maySend)) {
        chunks.push(chunk);
        parser.push(chunk);
      }
      return { chunks, answer: parser.finish(new Set()) };
    }

    it('streams an answer whose blocks end before the stop, with usage and the reason of the stop', async () => {
      harness.answer('I see 한국어 🙂.');
      const { chunks, answer } = await read();
      expect(answer).toMatchObject({
        complete: true,
        text: 'I see 한국어 🙂.',
        stopReason: 'tool_use',
        error: null,
      });
      expect(answer.toolCalls).toMatchObject([{ tool: 'look', arguments: { at: 1 }, problem: null }]);
      expect(answer.usage?.outputTokens).toBeGreaterThan(0);
      const types = chunks.map(({ type }) => type);
      expect(types.lastIndexOf('block_end')).toBeLessThan(types.indexOf('stop'));
      expect(types.lastIndexOf('tool_call_end')).toBeLessThan(types.indexOf('stop'));
    });

    it('gives a failure as one error chunk at the end, and neither throws nor tries again', async () => {
      harness.overload();
      const { chunks } = await read();
      expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
      expect(chunks.at(-1)).toMatchObject({ type: 'error', error: { class: 'overload' } });
    });

    it('ends a cut stream without a stop, so that nobody takes it for an answer', async () => {
      harness.cut();
      const { answer } = await read();
      expect(answer.complete).toBe(false);
    });

    it('sends nothing when the last look says no, and ends as aborted', async () => {
      harness.answer('Asked later.');
      const asked = harness.requests();
      let looks = 0;
      const { chunks } = await read(undefined, () => (looks += 1) === 0);
      expect(chunks).toMatchObject([{ type: 'error', error: { class: 'aborted' } }]);
      expect([looks, harness.requests() - asked]).toEqual([1, 0]);
      expect((await read()).answer).toMatchObject({ text: 'Asked later.' });
      expect(harness.requests() - asked).toBe(1);
    });

    it('ends as aborted, soon after the signal', async () => {
      harness.hang();
      const controller = new AbortController();
      const reading = read(controller.signal);
      controller.abort();
      expect((await reading).chunks.at(-1)).toMatchObject({ type: 'error', error: { class: 'aborted' } });
    });
  });
}
