import { describe, expect, it } from '@jest/globals';
import { createTools, TOOL_NAMES } from './create-tools.js';
import { FileTracker } from './file-tracker.js';
import { toolsDeps } from './testing/tools-deps.js';

const tools = createTools(toolsDeps());

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
      ['list_processes', 'read', 'repeat'],
      ['read_process', 'read', 'repeat'],
      ['wait_process', 'read', 'repeat'],
      ['kill_process', 'execute', 'repeat'],
    ]);
  });

  it('have the names that are announced', () => {
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
  });

  it('describe every argument to the model as a closed JSON schema', () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(inputSchema).not.toHaveProperty('$schema');
    }
    expect(tools[0]?.inputSchema['required']).toEqual(['path']);
  });

  it('name no other tool in what a model reads of them: the task may not have it', () => {
    for (const { name, description, inputSchema } of tools) {
      const text = description + JSON.stringify(inputSchema);
      expect([name, TOOL_NAMES.filter((other) => other !== name && text.includes(other))]).toEqual([
        name,
        [],
      ]);
    }
  });

  it('fill in defaults, and name field and expectation of what is wrong', () => {
    const [readFile, , , , editFile] = tools;
    expect(readFile?.parse({ path: 'a' })).toMatchObject({
      ok: true,
      call: { args: { path: 'a', offset: 1, limit: 2_000, column: 1 } },
    });
    expect(readFile?.parse({ offset: '3', lines: 2 })).toEqual({
      ok: false,
      issues: [
        'path: is missing; expected string',
        'offset: expected number, received string',
        'lines: not a parameter of this tool, which takes path, offset, limit, column',
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
      issues: [expect.stringContaining('newText: is the same as oldText')],
    });
  });
});

describe('the file tracker', () => {
  it('keeps what each task saw apart, and forgets a task that ended', () => {
    const tracker = new FileTracker();
    tracker.wrote('task_1', '/ws/a', 'f', 'call_1');
    expect(tracker.seen('task_1', '/ws/a')).toEqual({
      fingerprint: 'f',
      writtenBy: 'call_1',
      unseen: null,
    });
    expect(tracker.seen('task_2', '/ws/a')).toBeUndefined();
    tracker.forget('task_1');
    expect(tracker.seen('task_1', '/ws/a')).toBeUndefined();
  });

  it('forgets the quietest task when there are too many', () => {
    const tracker = new FileTracker();
    for (let task = 0; task <= 1_000; task += 1) tracker.wrote(`task_${task}`, '/ws/a', 'f', 'c');
    expect(tracker.seen('task_0', '/ws/a')).toBeUndefined();
    expect(tracker.seen('task_1000', '/ws/a')).toBeDefined();
  });

  it('adds up what was read of one content, in any order, and begins anew with another', () => {
    const tracker = new FileTracker();
    const at = (line: number, column = 1) => ({ line, column });
    const read = (from: number, to: number | null, fingerprint = 'f') =>
      tracker.read('task_1', '/ws/a', fingerprint, { from: at(from), to: to === null ? null : at(to) });
    const unseen = () => tracker.seen('task_1', '/ws/a')?.unseen;
    read(50, 60);
    expect(unseen()).toEqual(at(1));
    read(1, 20);
    expect(unseen()).toEqual(at(20));
    read(15, 50);
    expect(unseen()).toEqual(at(60));
    read(61, null);
    expect(unseen()).toEqual(at(60));
    tracker.read('task_1', '/ws/a', 'f', { from: at(60), to: at(60, 500) });
    expect(unseen()).toEqual(at(60, 500));
    tracker.read('task_1', '/ws/a', 'f', { from: at(60, 400), to: at(61) });
    expect(unseen()).toBeNull();
    read(1, 5, 'g');
    expect(unseen()).toEqual(at(5));
  });

  it('after a change of a part knows all of the file only where it had known all of it', () => {
    const tracker = new FileTracker();
    const unseen = () => tracker.seen('task_1', '/ws/a')?.unseen;
    tracker.read('task_1', '/ws/a', 'f', { from: { line: 1, column: 1 }, to: { line: 9, column: 1 } });
    tracker.edited('task_1', '/ws/a', 'g', 'call_1');
    expect(unseen()).toEqual({ line: 1, column: 1 });
    tracker.wrote('task_1', '/ws/a', 'h', 'call_2');
    tracker.edited('task_1', '/ws/a', 'i', 'call_3');
    expect(unseen()).toBeNull();
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
