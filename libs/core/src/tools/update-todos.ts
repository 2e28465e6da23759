/** update_todos: the list that the user sees. */
import { plural, TodoItem } from '@bullpen/contracts';
import { z } from 'zod';
import type { Tool } from '../ports/tool.js';
import { defineTool } from './define-tool.js';

export function updateTodos(): Tool {
  return defineTool({
    name: 'update_todos',
    description:
      'Replaces your to-do list, which the user sees. Keep one for work of three steps or more, or for several requests; leave it out for less. ' +
      'Each item is something that can be checked. Keep exactly one item of your own in_progress, and mark each as completed when it is, not several later.',
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
