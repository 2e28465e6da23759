/** Any mix of reductions over any conversation, against the simulator's strict gate. */
import { describe, expect, it } from '@jest/globals';
import type { ContentBlock, Reduction } from '@bullpen/contracts';
import type { StoredMessage } from '@bullpen/core';
import { checkedRequest, signThinking } from '@bullpen/model-sim';
import fc from 'fast-check';
import { effectiveHistory, isReduction, partsOf } from './effective-history.js';
import { planReduction, tokensOf } from './plan-reduction.js';
import { contextSize } from './size.js';

/** A turn: calls with the sizes of their outputs, thinking in between, and what the user writes after it. */
interface Turn {
  readonly thinks: boolean;
  readonly text: boolean;
  readonly outputs: readonly number[];
  readonly says: boolean;
}

type Deed =
  | { readonly kind: 'turns'; readonly turns: readonly Turn[] }
  | {
      readonly kind: 'reduce';
      readonly share: number;
      readonly refused: boolean;
      readonly condense: boolean;
      readonly mask: boolean;
    }
  | { readonly kind: 'rewind'; readonly at: number };

const turn: fc.Arbitrary<Turn> = fc
  .record({
    thinks: fc.boolean(),
    text: fc.boolean(),
    outputs: fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 4 }),
    says: fc.boolean(),
  })
  // An answer has text or calls, and one without calls is followed by what the user says.
  .map((one) => (one.outputs.length > 0 ? one : { ...one, text: true, says: true }));

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('turns' as const),
      turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reduce' as const),
      share: fc.double({ min: 0.3, max: 1.5, noNaN: true }),
      refused: fc.boolean(),
      condense: fc.boolean(),
      mask: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), at: fc.nat() }) },
);

class Conversation {
  rows: StoredMessage[] = [said(1, 'user', [text('Mend the thing. This is the task itself.')])];
  private seq = 1;
  private calls = 0;
  /** What was sent when the rows were exactly these. */
  private readonly sentBefore = new Map<string, string>();

  constructor() {
    this.remember();
  }

  get sent(): readonly StoredMessage[] {
    return effectiveHistory(this.rows);
  }

  say({ thinks, text: talks, outputs, says }: Turn): void {
    const ids = outputs.map(() => `toolu_${(this.calls += 1)}`);
    const thought = `thought ${this.seq}`;
    const thinking = {
      type: 'thinking' as const,
      thinking: thought,
      signature: signThinking(thought, `msg_${this.seq}`),
    };
    this.add('assistant', [
      ...(thinks ? [thinking] : []),
      ...(talks ? [text(`words ${this.seq}`)] : []),
      ...ids.map((id): ContentBlock => ({ type: 'tool_use', id, name: 'read', input: { of: id } })),
    ]);
    this.add('user', [
      ...ids.map((id, at): ContentBlock => ({
        type: 'tool_result',
        tool_use_id: id,
        content: 'out '.repeat(outputs[at] ?? 1),
      })),
      ...(says ? [text(`the user says ${this.seq}`)] : []),
    ]);
  }

  reduce({ share, refused, condense: mayCondense, mask: canRead }: Extract<Deed, { kind: 'reduce' }>): void {
    const before = tokensOf(this.sent);
    const size = contextSize(
      { ...FRAME, messages: this.sent },
      Math.ceil(before / share) + FRAME.maxOutputTokens,
      null,
    );
    const plan = planReduction({ effective: this.sent, size, refused, mayCondense, canRead });
    if (plan.kind === 'none' || plan.kind === 'stuck') return;
    const reduction: Reduction = { ...plan, modelCallId: null, forcedBy: null };
    this.add('user', [text(`instead of ${plan.fromSeq} to ${plan.toSeq}`)], reduction);
    expect(tokensOf(this.sent)).toBeLessThan(before);
  }

  /** As a rewind, a rollback or a restore does it: what was said from some place on is dropped, with whatever came after. */
  rewind(at: number): void {
    const answers = this.rows.filter(({ role }) => role === 'assistant');
    const from = answers[at % Math.max(1, answers.length)]?.seq ?? Infinity;
    this.rows = this.rows.filter(({ seq }) => seq < from);
    expect(JSON.stringify(this.sent)).toBe(this.sentBefore.get(this.rows.map(({ id }) => id).join()));
  }

  private add(role: StoredMessage['role'], content: readonly ContentBlock[], reduction?: Reduction): void {
    this.rows.push(said((this.seq += 1), role, content, reduction));
    this.remember();
  }

  private remember(): void {
    this.sentBefore.set(this.rows.map(({ id }) => id).join(), JSON.stringify(this.sent));
  }
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const said = (
  seq: number,
  role: StoredMessage['role'],
  content: readonly ContentBlock[],
  reduction?: Reduction,
): StoredMessage => ({
  ...{ id: `msg_${seq}`, seq, turn: seq, role, content, stopReason: null },
  ...(reduction && { reduction }),
});

const FRAME = {
  system: 'You read.',
  tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
  maxOutputTokens: 100,
};

/** Throws what the provider would answer. */
function send(messages: readonly StoredMessage[]): void {
  const body = {
    model: 'claude-sonnet-5-5',
    max_tokens: 100,
    system: FRAME.system,
    tools: FRAME.tools.map(({ name, inputSchema }) => ({ name, input_schema: inputSchema })),
    messages: messages.map(({ role, content }) => ({ role, content })),
  };
  checkedRequest(Buffer.from(JSON.stringify(body)));
}

describe('a conversation that is made shorter in any way, taken back, and gone on with', () => {
  it('can be sent at any time, with the task itself first, one summary at most, and thinking as it was', () => {
    fc.assert(
      fc.property(fc.array(deed, { minLength: 3, maxLength: 25 }), (deeds) => {
        const talk = new Conversation();
        for (const one of deeds) {
          if (one.kind === 'turns') one.turns.forEach((each) => talk.say(each));
          else if (one.kind === 'reduce') talk.reduce(one);
          else talk.rewind(one.at);
          const { sent } = talk;
          if (sent.at(-1)?.role === 'user') send(sent);
          expect(sent[0]).toEqual(talk.rows[0]);
          const standing = sent.filter(isReduction);
          expect(standing.filter(({ reduction }) => reduction.kind === 'condense').length).toBeLessThan(2);
          expect(standing.filter(({ reduction }) => reduction.kind === 'truncate').length).toBeLessThan(2);
          // Whoever loads the rows, sends the same.
          expect(effectiveHistory(JSON.parse(JSON.stringify(talk.rows)) as StoredMessage[])).toEqual(sent);
          const answers = new Set(
            talk.rows.filter(({ role }) => role === 'assistant').map((row) => JSON.stringify(row)),
          );
          for (const row of sent.filter(({ role }) => role === 'assistant'))
            expect(answers.has(JSON.stringify(row))).toBe(true);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('is cut between turns, and keeps the newest one', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 2, maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        (turns, refused, mayCondense) => {
          const talk = new Conversation();
          turns.forEach((each) => talk.say(each));
          const newest = partsOf(talk.sent).rounds.at(-1)?.messages;
          talk.reduce({ kind: 'reduce', share: 1.2, refused, condense: mayCondense, mask: false });
          expect(partsOf(talk.sent).rounds.at(-1)?.messages).toEqual(newest);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps all of a turn or none of it, also where the results of parallel calls are messages of their own, as in an import', () => {
    const ids = ['a', 'b', 'c'];
    const turnAt = (seq: number): StoredMessage[] => [
      said(
        seq,
        'assistant',
        ids.map((id) => ({ type: 'tool_use', id: `${id}${seq}`, name: 'read', input: {} })),
      ),
      ...ids.map((id, at) =>
        said(seq + 1 + at, 'user', [
          { type: 'tool_result', tool_use_id: `${id}${seq}`, content: 'out '.repeat(200) },
        ]),
      ),
    ];
    const rows = [said(1, 'user', [text('The task.')]), ...[2, 6, 10, 14, 18].flatMap(turnAt)];
    const history = tokensOf(rows);
    for (let share = 0.05; share < 1; share += 0.01)
      for (const refused of [false, true])
        for (const mayCondense of [false, true]) {
          const budget = Math.ceil(history * share);
          const size = { system: 0, tools: 0, messages: history, tokens: history, threshold: budget, budget };
          const plan = planReduction({ effective: rows, size, refused, mayCondense, canRead: false });
          if (plan.kind === 'none' || plan.kind === 'stuck') continue;
          expect([(plan.fromSeq - 2) % 4, (plan.toSeq - 1) % 4]).toEqual([0, 0]);
          const stands = said(99, 'user', [text('instead')], { ...plan, modelCallId: null, forcedBy: null });
          const sent = effectiveHistory([...rows, stands]);
          const [calls, results] = (['tool_use', 'tool_result'] as const).map((type) =>
            sent.flatMap(({ content }) =>
              content.flatMap((block) =>
                block.type !== type ? [] : [block.type === 'tool_use' ? block.id : String(block.tool_use_id)],
              ),
            ),
          );
          expect(results).toEqual(calls);
        }
  });
});

it('masks a picture in a result like a long output, to a line that says what it was, and gives it back whole', () => {
  const media = {
    sha256: 'a'.repeat(64),
    mediaType: 'image/png' as const,
    bytes: 2_500_000,
    width: 1_200,
    height: 800,
    pages: null,
  };
  const row = (seq: number, role: 'user' | 'assistant', block: ContentBlock): StoredMessage => ({
    ...{ id: `msg_${seq}`, seq, turn: seq, role, content: [block], stopReason: null },
  });
  const rows = [
    row(1, 'user', { type: 'text', text: 'Look.' }),
    row(2, 'assistant', { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
    row(3, 'user', { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.png: image', media: [media] }),
  ];
  const mask: StoredMessage = {
    ...row(4, 'user', { type: 'text', text: 'masked' }),
    reduction: { kind: 'mask', fromSeq: 1, toSeq: 3, modelCallId: null, forcedBy: null },
  };
  const [, , masked] = effectiveHistory([...rows, mask]);
  expect(masked?.content).toEqual([
    {
      ...{ type: 'tool_result', tool_use_id: 'toolu_1' },
      content:
        'a.png: image\n[Left out to save room: image (png), 1200x800, 2441 KB. Read it again if you need to see it.]',
    },
  ]);
  expect(tokensOf(rows) - tokensOf(effectiveHistory([...rows, mask]))).toBeGreaterThan(1_200);
  expect(effectiveHistory(rows)).toEqual(rows);
});
