/** update_todos: the list that the user sees. */
import { plural, TodoItem } from '@bullpen/contracts';
import { z } from 'zod';
import type { Tool } from '../ports/tool.js';
import { defineTool } from './define-tool.js';

export function updateTodos(): Tool {
  return defineTool({
    name: 'update_todos',
    description:
      'Replaces your to-do list. The user sees it. Keep exactly one item in_progress while you work.',
    group: 'todo',
    resume: 'repeat',
    input: z.strictObject({ todos: z.array(TodoItem).max(200) }),
    run: ({ todos }) => {
      const done = todos.filter(({ status }) => status === 'completed').length;
      return {
        kind: 'todos',
        todos,
        output: `The list has ${plural(todos.length, 'item')}, ${done} completed.`,
      };
    },
  });
}
