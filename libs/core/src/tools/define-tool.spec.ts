import { describe, expect, it } from '@jest/globals';
import { defineTool, success, ToolRegistry, type Tool } from '@bullpen/core';
import { aDefinition } from '@bullpen/testing';
import { z } from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  group: 'read',
  resume: 'repeat',
  input: z.strictObject({
    a: z.number(),
    b: z.number().default(1),
    note: z.object({ by: z.string() }).optional(),
  }),
  check: ({ a }) => (a < 0 ? ['a: must not be negative here'] : []),
  inspect: ({ a }) => Promise.resolve({ command: `add ${a}` }),
  run: ({ a, b }) => success(String(a + b)),
});

describe('a defined tool', () => {
  it('binds a call to its arguments, with defaults filled in, and parses them once', async () => {
    const parsed = add.parse({ a: 2 });
    if (!parsed.ok) throw new Error(parsed.issues.join());
    expect(parsed.call.args).toEqual({ a: 2, b: 1 });
    expect(await parsed.call.inspect?.({} as never)).toEqual({ command: 'add 2' });
    expect(await parsed.call.run({} as never, new AbortController().signal)).toEqual(success('3'));
  });

  it('names the field of each wrong argument, whether the schema or the tool found it', () => {
    const issues = (input: never) => {
      const parsed = add.parse(input);
      return parsed.ok ? [] : parsed.issues;
    };
    expect(issues({ b: 'x', note: {}, c: 1 } as never)).toEqual([
      'a: is missing; expected number',
      'b: expected number, received string',
      'note.by: is missing; expected string',
      'c: not a parameter of this tool, which takes a, b, note',
    ]);
    expect(issues({ a: -1 } as never)).toEqual(['a: must not be negative here']);
    expect(issues([] as never)).toEqual(['arguments: expected object, received array']);
  });

  it('turns a throw of a tool that does not wait into a rejection', async () => {
    const tool = defineTool({
      ...{ name: 'throws', description: 'Throws.', group: 'read', resume: 'repeat' },
      input: z.strictObject({}),
      run: () => {
        throw new Error('at once');
      },
    });
    const parsed = tool.parse({});
    const run = parsed.ok && parsed.call.run({} as never, new AbortController().signal);
    await expect(run).rejects.toThrow('at once');
  });
});

describe('the registry', () => {
  it('gives a definition its tools in its own order, made for it where they depend on it', () => {
    const greet = {
      name: 'greet',
      for: ({ name }: { readonly name: string }): Tool => ({
        ...add,
        name: 'greet',
        description: `For ${name}.`,
      }),
    };
    const registry = new ToolRegistry([add, greet]);
    const definition = aDefinition({ name: 'tester', tools: ['greet', 'gone', 'add'] });
    const tools = [...registry.toolsOf(definition).values()];
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['greet', 'For tester.'],
      ['add', 'Adds two numbers.'],
    ]);
    expect(registry.missingFrom(definition)).toEqual(['gone']);
  });

  it('refuses a second tool of the same name', () => {
    expect(() => new ToolRegistry([add, add])).toThrow('There are two tools named add: rename one of them.');
  });
});
