import { describe, expect, it } from '@jest/globals';
import type { BusMessage } from '@bullpen/contracts';
import fc from 'fast-check';
import { deltaText } from './delta-text.js';
import { MAX_PAYLOAD_BYTES, packMessages, unpackMessages } from './notify-payload.js';
import { aDelta, deltaMessage, rows } from './testing/builders.js';

const unpack = (payload: string): BusMessage[] => unpackMessages(payload);

describe('payloads of NOTIFY', () => {
  it('hold as many messages as fit, in order', () => {
    const messages = Array.from({ length: 300 }, (_, n) => rows(`task-${n}`, n));

    const payloads = packMessages(messages);

    expect(payloads.flatMap(unpack)).toEqual(messages);
    const bytes = JSON.stringify(messages).length;
    expect(payloads.length).toBe(Math.ceil(bytes / MAX_PAYLOAD_BYTES));
  });

  it('stay below the limit and lose no character, whatever the text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 8 }),
        fc.integer({ min: 400, max: 8_000 }),
        (texts, maxBytes) => {
          const messages = texts.map((piece, n) =>
            deltaMessage(aDelta({ messageId: `m${n}`, offset: 5, text: piece })),
          );

          const payloads = packMessages(messages, maxBytes);

          for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxBytes);
          expect(rejoin(payloads.flatMap(unpack))).toEqual(texts);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('split the arguments of a tool call under their own name', () => {
    const json = JSON.stringify({ text: 'y'.repeat(20_000) });
    const message: BusMessage = {
      kind: 'delta',
      tenantId: 'acme',
      delta: {
        type: 'tool.generating',
        taskId: 't',
        rootId: 't',
        afterSeq: 0,
        data: { messageId: 'm', toolUseId: 'u', tool: 'write', offset: 0, json },
      },
    };

    const pieces = packMessages([message]).flatMap(unpack);

    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map((piece) => (piece.kind === 'delta' ? deltaText(piece.delta) : '')).join('')).toBe(json);
    for (const piece of pieces) expect(piece).not.toHaveProperty('delta.data.text');
  });

  it('leave out what cannot be split and does not fit, and keep its neighbours', () => {
    const huge = rows('x'.repeat(9_000), 1);
    const hugeDelta = deltaMessage(aDelta({ messageId: 'x'.repeat(9_000) }));

    const leftOut: string[] = [];
    const payloads = packMessages([rows('a', 1), huge, hugeDelta, rows('b', 1)], undefined, (kind) =>
      leftOut.push(kind),
    );
    expect(payloads.flatMap(unpack)).toEqual([rows('a', 1), rows('b', 1)]);
    expect(leftOut).toEqual(['rows', 'delta']);
  });

  it('need no payload for no messages', () => {
    expect(packMessages([])).toEqual([]);
  });

  it.each([
    ['', ['of no kind']],
    ['no json', ['of no kind']],
    ['{}', ['of no kind']],
    ['null', ['of no kind']],
    [
      '[1, null, {"kind":"rows"}, {"kind":"from.the.future"}, {"kind":"delta","tenantId":"a","delta":{}}]',
      ['of no kind', 'of no kind', 'rows', 'from.the.future', 'delta'],
    ],
  ])('are left out when they are none of ours, and told: %s', (payload, kinds) => {
    const unread: string[] = [];
    expect(unpackMessages(payload, (kind) => unread.push(kind))).toEqual([]);
    expect(unread).toEqual(kinds);
  });
});

/** The texts by message, checking that each piece begins where the one before ended. */
function rejoin(messages: readonly BusMessage[]): string[] {
  const texts: string[] = [];
  for (const message of messages) {
    if (message.kind !== 'delta' || message.delta.type !== 'message.delta')
      throw new Error('not what was sent');
    const index = Number(message.delta.data.messageId.slice(1));
    const before = texts[index] ?? '';
    expect(message.delta.data.offset).toBe(5 + before.length);
    texts[index] = before + message.delta.data.text;
  }
  return texts;
}
