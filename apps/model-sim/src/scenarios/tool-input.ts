/** Inputs for tools of whose schemas a script knows only roughly what they look like. */
import type { ToolDefinition } from '../wire.js';
import type { JsonSchema } from './minimal-value.js';

export interface TodoItem {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

const TEXT_NAMES = ['text', 'title', 'content', 'task', 'description', 'activeForm'];
const STATUS_WORDS: Readonly<Record<TodoItem['status'], readonly string[]>> = {
  pending: ['pending', 'todo', 'open'],
  in_progress: ['in_progress', 'in-progress', 'doing', 'active'],
  completed: ['completed', 'done', 'complete'],
};

/** The input of `update_todos`, in the words of the tool's own schema: names of fields and of states differ. */
export function todosInput(
  tool: ToolDefinition | undefined,
  items: readonly TodoItem[],
): Record<string, unknown> {
  const properties = schemaOf(tool).properties ?? {};
  const [name, list] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? [
    'todos',
    undefined,
  ];
  const item = list?.items?.properties ?? { text: { type: 'string' }, status: { type: 'string' } };
  return { [name]: items.map((todo, index) => todoOf(item, todo, index)) };
}

/** The input of `read_file` for the first lines of a file. */
export function readHeadInput(
  tool: ToolDefinition | undefined,
  path: string,
  lines: number,
): Record<string, unknown> {
  const properties = schemaOf(tool).properties ?? {};
  const limit = ['limit', 'end_line', 'endLine', 'to'].find((name) => name in properties);
  return limit === undefined ? { path } : { path, [limit]: lines };
}

function todoOf(
  properties: Record<string, JsonSchema>,
  todo: TodoItem,
  index: number,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const name of TEXT_NAMES) if (name in properties) value[name] = todo.text;
  if ('id' in properties) value['id'] = properties['id']?.type === 'string' ? String(index + 1) : index + 1;
  if ('done' in properties) value['done'] = todo.status === 'completed';
  if ('status' in properties) {
    const words = properties['status']?.enum ?? [];
    value['status'] = STATUS_WORDS[todo.status].find((word) => words.includes(word)) ?? todo.status;
  }
  return value;
}

function schemaOf(tool: ToolDefinition | undefined): JsonSchema {
  return (tool?.input_schema ?? {}) as JsonSchema;
}
