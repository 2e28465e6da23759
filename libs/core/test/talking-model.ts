/** A model that answers each request by what stands in it, as a script for a long conversation has to. */
import type { ModelProfile } from '@bullpen/contracts';
import type { Model, ModelRequest } from '@bullpen/core';
import { ScriptedModel, type ScriptedAnswer } from '@bullpen/testing';
import { contextSize } from '../src/context/size.js';
import { CONDENSE_ORDER } from '../src/conversation/summary.js';

export class TalkingModel implements Model {
  /** Every request so far, oldest first. */
  readonly requests: ModelRequest[] = [];

  constructor(private readonly answer: (request: ModelRequest, isSummary: boolean) => ScriptedAnswer) {}

  /** The requests for summaries. */
  get summaries(): readonly ModelRequest[] {
    return this.requests.filter(isForSummary);
  }

  stream(request: ModelRequest, signal: AbortSignal, maySend: () => boolean) {
    this.requests.push(request);
    // What a provider would say of it: a figure that is made up would be taken for the size of the conversation.
    const usage = { inputTokens: contextSize(request, request.contextWindow, null).tokens, outputTokens: 20 };
    const answer = this.answer(request, isForSummary(request));
    return new ScriptedModel({ usage, ...answer }).stream(request, signal, maySend);
  }
}

function isForSummary({ messages }: ModelRequest): boolean {
  const [block] = messages.at(-1)?.content ?? [];
  return block?.type === 'text' && block.text === CONDENSE_ORDER;
}

/** A small window, so that conversations outgrow it soon. */
export const PROFILE: ModelProfile = {
  name: 'small',
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  baseUrl: null,
  keyName: null,
  region: null,
  project: null,
  contextWindow: 9_000,
  maxOutputTokens: 1_000,
  dialect: 'native',
  effort: null,
  thinking: 'off',
  cacheTtl: '5m',
  fallback: [],
  fallbackOnRefusal: false,
  price: null,
};

export const WORDS = 'a line of the file that was read, with some words in it\n';
export const SUMMARY =
  'The user wants src/a.ts to be mended. src/a.ts was read up to its middle and holds the number 4711. No decision yet. Next: read on. '.repeat(
    2,
  );

/** Reads on, one call a turn, until it has done so `turns` times; sums up when it is told to. */
export function reader(turns: number, summary: ScriptedAnswer = { text: SUMMARY }) {
  let asked = 0;
  return new TalkingModel((_, isSummary) => {
    if (isSummary) return summary;
    asked += 1;
    return asked > turns
      ? { text: `Done after ${turns} turns.` }
      : {
          reasoning: `thought ${asked}`,
          toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { part: asked } }],
        };
  });
}
