/** Which rows of a transcript are shown together. */
import type { Row } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import { itemsOf } from './items.js';

const tool = (key: string, name: string, state = 'done') => ({ kind: 'tool', key, tool: name, state }) as Row;
const subtask = (key: string) => ({ kind: 'subtask', key }) as Row;

describe('the items of a transcript', () => {
  it('put neighbouring reads together, and subtasks; what failed or writes stands alone', () => {
    const rows = [
      tool('a', 'read_file'),
      tool('b', 'search_files'),
      tool('c', 'read_file', 'errored'),
      tool('d', 'read_file'),
      tool('e', 'run_command'),
      subtask('f'),
      subtask('g'),
    ];
    expect(itemsOf(rows).map((item) => [item.kind, 'rows' in item ? item.rows.length : 0])).toEqual([
      ['reads', 2],
      ['row', 1],
      ['row', 1],
      ['row', 1],
      ['subtasks', 2],
    ]);
  });
});
