/** A model with a small window: reads on, part by part, sums up when it is told to, and looks at each request as strictly as a provider. */
import {
  historyProblems,
  type Model,
  type ModelChunk,
  type ModelError,
  type ModelRequest,
} from '@bullpen/core';
import type { Random } from '../sweep/random.js';

/** Far more than any world needs: who asks so often asks for ever. */
const MOST_REQUESTS = 600;
const RECORD = 'This is a record of the conversation';

export class WindowModel implements Model {
  readonly violations = new Set<string>();
  /** What was said with each request for the next step, oldest first. */
  readonly sent: ModelRequest['messages'][] = [];
  private requests = 0;
  private serial = 0;

  constructor(
    private readonly random: Random,
    /** In tokens, as `tokensOf` counts. */
    private readonly window: number,
  ) {}

  async *stream(request: ModelRequest): AsyncGenerator<ModelChunk> {
    await Promise.resolve();
    this.requests += 1;
    if (this.requests > MOST_REQUESTS) {
      this.violations.add('the model is asked without end');
      return yield failed('authentication', 'No more.');
    }
    yield { type: 'response', providerRequestId: `req_${this.requests}`, simulated: false };
    const isSummary = textOf(request.messages.at(-1)).includes('Write a record of it');
    this.look(request, isSummary);
    if (tokensOf(request) > this.window) return yield failed('context', 'prompt is too long');
    if (this.random.chance(0.05)) return yield failed('overload', 'Overloaded');
    yield* isSummary ? this.summary(request) : this.step(request);
  }

  private look({ messages }: ModelRequest, isSummary: boolean): void {
    for (const problem of historyProblems(messages))
      this.violations.add(`a request that is refused: ${problem}`);
    const whole = JSON.stringify(messages);
    if (whole.split(RECORD).length > 2) this.violations.add('two records in one request');
    if (!textOf(messages[0]).includes('The task itself.'))
      this.violations.add('the task is missing in a request');
    if (!isSummary) this.sent.push(messages);
  }

  private *summary(request: ModelRequest): Generator<ModelChunk> {
    const text = this.random.chance(0.4)
      ? '?'
      : `Read up to part ${partIn(request)}, as the user wants. `.repeat(6);
    yield* answer(
      request,
      [
        { type: 'text', index: 0, text },
        { type: 'block_end', index: 0 },
      ],
      'end_turn',
    );
  }

  /** Where it is stands in the newest calls, how far it has to go in the user's newest words. */
  private *step(request: ModelRequest): Generator<ModelChunk> {
    const part = partIn(request) + 1;
    const goal =
      numbers(/Read until (\d+)/g, request.messages.filter(({ role }) => role === 'user').map(textOf)).at(
        -1,
      ) ?? 0;
    if (part > goal) {
      const text = `Read until ${goal} as asked.`;
      return yield* answer(
        request,
        [
          { type: 'text', index: 0, text },
          { type: 'block_end', index: 0 },
        ],
        'end_turn',
      );
    }
    const calls = Array.from({ length: this.random.between(1, 2) }, (_, index): ModelChunk[] => [
      { type: 'tool_call_start', index, id: `toolu_${(this.serial += 1)}`, name: 'read_part' },
      { type: 'tool_call_delta', index, json: JSON.stringify({ part, half: index }) },
      { type: 'tool_call_end', index },
    ]);
    yield* answer(request, calls.flat(), 'tool_use');
  }
}

function* answer(
  request: ModelRequest,
  said: readonly ModelChunk[],
  stopReason: string,
): Generator<ModelChunk> {
  const cached = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  yield* said;
  yield { type: 'usage', usage: { inputTokens: tokensOf(request), outputTokens: 20, ...cached } };
  yield { type: 'stop', stopReason };
}

function failed(errorClass: ModelError['class'], message: string): ModelChunk {
  const nothing = { httpStatus: null, retryAfterMs: null, providerRequestId: null };
  return { type: 'error', error: { class: errorClass, message, ...nothing } };
}

function tokensOf({ system, tools, messages }: ModelRequest): number {
  return Math.ceil((system.length + JSON.stringify(tools).length + JSON.stringify(messages).length) / 4);
}

/** The newest part that was asked for. */
function partIn({ messages }: ModelRequest): number {
  return Math.max(
    0,
    ...numbers(/"part":(\d+)/g, [JSON.stringify(messages.filter(({ role }) => role === 'assistant'))]),
  );
}

function numbers(pattern: RegExp, texts: readonly string[]): number[] {
  return texts.flatMap((text) => [...text.matchAll(pattern)].map(([, number]) => Number(number)));
}

function textOf(message: ModelRequest['messages'][number] | undefined): string {
  return (message?.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
