import { describe, expect, it } from '@jest/globals';
import type { LiveDelta } from '@bullpen/contracts';
import { deltaStream, halveDelta, mergeDeltas } from './delta-text.js';
import { aDelta } from './testing/builders.js';

describe('deltas', () => {
  it('merge when they touch', () => {
    expect(mergeDeltas(aDelta({ offset: 2, text: 'ab' }), aDelta({ offset: 4, text: 'c' }))).toEqual(
      aDelta({ offset: 2, text: 'abc' }),
    );
  });

  it.each([
    ['there is a gap', aDelta({ offset: 5, text: 'c' })],
    ['they overlap', aDelta({ offset: 3, text: 'c' })],
    ['the text began anew', aDelta({ offset: 0, text: 'c' })],
    ['they belong to two messages', aDelta({ offset: 4, messageId: 'm2' })],
    ['they belong to two tasks', aDelta({ offset: 4, taskId: 'other' })],
    ['a row lies between', aDelta({ offset: 4, afterSeq: 4 })],
    ['they are of two types', { ...aDelta({ offset: 4 }), type: 'reasoning.delta' } as LiveDelta],
  ])('do not merge when %s', (_why, second) => {
    expect(mergeDeltas(aDelta({ offset: 2, text: 'ab' }), second)).toBeNull();
  });

  it('tell the parallel calls of one message apart', () => {
    const generating = (toolUseId: string): LiveDelta => ({
      type: 'tool.generating',
      taskId: 't',
      rootId: 't',
      afterSeq: 0,
      data: { messageId: 'm', toolUseId, tool: 'read', offset: 0, json: '{' },
    });

    expect(deltaStream(generating('a'))).not.toBe(deltaStream(generating('b')));
  });

  it('are never cut inside a character', () => {
    expect(halveDelta(aDelta({ offset: 1, text: 'a🐂b' }))).toEqual([
      aDelta({ offset: 1, text: 'a🐂' }),
      aDelta({ offset: 4, text: 'b' }),
    ]);
    expect(halveDelta(aDelta({ text: '🐂' }))).toBeNull();
    expect(halveDelta(aDelta({ text: 'a' }))).toBeNull();
    expect(halveDelta(aDelta({ text: '' }))).toBeNull();
  });
});
