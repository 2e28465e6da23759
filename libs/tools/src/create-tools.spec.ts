import { describe, expect, it } from '@jest/globals';
import { BUILTIN_AGENTS, HARNESS_TOOL_NAMES } from '@bullpen/core';
import { createTools, TOOL_NAMES } from './create-tools.js';
import { FileTracker } from './file-tracker.js';

const tools = createTools({ command: { path: '/usr/bin:/bin', user: null, homesRoot: '/nonexistent' } });

describe('the built-in tools', () => {
  it('are offered in a fixed order, each with its group and resume policy', () => {
    expect(tools.map(({ name, group, resume }) => [name, group, resume])).toEqual([
      ['read_file', 'read', 'repeat'],
      ['list_files', 'read', 'repeat'],
      ['search_files', 'read', 'repeat'],
      ['write_file', 'write', 'repeat'],
      ['edit_file', 'write', 'repeat'],
      ['run_command', 'execute', 'report'],
      ['read_tool_output', 'read', 'repeat'],
    ]);
  });

  it('have the names that are announced, which every built-in agent keeps to', () => {
    expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
    const known: readonly string[] = [...TOOL_NAMES, ...HARNESS_TOOL_NAMES];
    for (const agent of BUILTIN_AGENTS)
      expect(agent.tools.filter((tool) => !known.includes(tool))).toEqual([]);
  });

  it('describe every argument to the model as a closed JSON schema', () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema).not.toHaveProperty('$schema');
    }
    expect(tools[0]?.inputSchema['required']).toEqual(['path']);
  });

  it('fill in defaults, and name field and expectation of what is wrong', () => {
    const [readFile, , , , editFile] = tools;
    expect(readFile?.parse({ path: 'a' })).toEqual({
      ok: true,
      value: { path: 'a', offset: 1, limit: 2_000 },
    });
    expect(readFile?.parse({ offset: '3', lines: 2 })).toEqual({
      ok: false,
      issues: [
        'path: is missing; expected string',
        'offset: expected number, received string',
        'lines: not a parameter of this tool; it takes path, offset, limit',
      ],
    });
    expect(readFile?.parse('a')).toMatchObject({
      ok: false,
      issues: ['arguments: expected object, received string'],
    });
    expect(readFile?.parse({ path: 'a', offset: 0 })).toMatchObject({
      ok: false,
      issues: [expect.stringContaining('offset: ')],
    });
    expect(editFile?.parse({ path: 'a', oldText: 'x', newText: 'x' })).toMatchObject({
      ok: false,
      issues: [expect.stringContaining('newText: is equal to oldText')],
    });
  });
});

describe('the file tracker', () => {
  const seen = { fingerprint: 'f', writtenBy: null };

  it('keeps what each task saw apart, and forgets a task that ended', () => {
    const tracker = new FileTracker();
    tracker.record('task_1', '/ws/a', seen);
    expect(tracker.seen('task_1', '/ws/a')).toEqual(seen);
    expect(tracker.seen('task_2', '/ws/a')).toBeUndefined();
    tracker.forget('task_1');
    expect(tracker.seen('task_1', '/ws/a')).toBeUndefined();
  });

  it('forgets the quietest task when there are too many', () => {
    const tracker = new FileTracker();
    for (let task = 0; task <= 1_000; task += 1) tracker.record(`task_${task}`, '/ws/a', seen);
    expect(tracker.seen('task_0', '/ws/a')).toBeUndefined();
    expect(tracker.seen('task_1000', '/ws/a')).toEqual(seen);
  });

  it('runs changes of one file after one another, also after one that failed', async () => {
    const tracker = new FileTracker();
    const order: string[] = [];
    const change = (name: string, fails: boolean) =>
      tracker.exclusively('/ws/a', async () => {
        order.push(`${name} starts`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([change('first', true), change('second', false)]);
    expect(order).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
  });
});
