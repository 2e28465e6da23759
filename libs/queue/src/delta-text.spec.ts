import { describe, expect, it } from '@jest/globals';
import type { LiveDelta } from '@bullpen/contracts';
import { deltaStream, halveDelta } from './delta-text.js';
import { aDelta } from './testing/builders.js';

describe('deltas', () => {
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
