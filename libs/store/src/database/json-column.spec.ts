import { expect, it } from '@jest/globals';
import { TodoItem, WorkspaceSpec } from '@bullpen/contracts';
import { z } from 'zod';
import { columnOf, JsonObject } from './json-column.js';

const place = { table: 'tasks', id: 'task_1', column: 'todos' };

it('gives what fits, and of what does not the table, the column, the row, the place and what to do', () => {
  expect(columnOf(WorkspaceSpec, { kind: 'empty' }, place)).toEqual({ kind: 'empty' });
  const read = () => columnOf(z.array(TodoItem), [{ text: 7 }], place);
  expect(read).toThrow(expect.objectContaining({ code: 'row_unreadable', details: place }));
  expect(read).toThrow(
    /^tasks\.todos of task_1 cannot be read at \/0\/\w+: Invalid .* Put the value of a backup back\./,
  );
});

it.each([[null], [[]], ['text'], [7]])('does not take %j for an object', (value) => {
  expect(() => columnOf(JsonObject, value, place)).toThrow('tasks.todos of task_1 cannot be read: ');
});
