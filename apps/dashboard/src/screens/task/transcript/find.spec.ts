/** Finding a text in a transcript. */
import type { Row } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import { hasMore, matchesIn } from './find.js';

const tool = (preview: string, args: object = {}) =>
  ({
    kind: 'tool',
    key: 'c',
    callId: 'c',
    tool: 'run_command',
    arguments: args,
    draft: '',
    output: '',
    preview,
  }) as Row;
const said = (text: string, reasoning = '') => ({ kind: 'agent', key: 'm', text, reasoning }) as Row;

describe('what is sought in a transcript', () => {
  it('is found in the whole output of a call, line by line, however long that is', () => {
    const output = Array.from({ length: 12_000 }, (_, index) =>
      index === 8_999 ? 'the Needle' : `line ${index}`,
    );
    expect(matchesIn(tool('line 0…'), 'needle', output.join('\n'))).toEqual([
      { key: 'c', card: 'c', line: 8_999 },
    ]);
    expect([hasMore(tool('line 0…')), hasMore(tool('all of it'))]).toEqual([true, false]);
  });

  it('is found in what was said, thought and called', () => {
    expect(matchesIn(said('Found it', 'where is it'), 'IT', null)).toEqual([
      { key: 'm', card: 'm thought', line: null },
      { key: 'm', card: null, line: null },
    ]);
    expect(matchesIn(tool('', { path: 'src/a.ts' }), 'src/a', null)).toEqual([
      { key: 'c', card: null, line: null },
    ]);
  });

  it('is the same word however its letters are composed', () => {
    expect(matchesIn(said('설정을 되돌려줘'.normalize('NFD')), '설정', null).length).toBe(1);
  });
});
