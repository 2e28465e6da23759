import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import type { Tool, ToolContext } from '@bullpen/core';
import { nobodyUser } from '@bullpen/workspace';
import { runCommandTool } from './run-command.js';

const never = new AbortController().signal;
let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'tools-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function files(content: Record<string, string | Buffer>): Promise<void> {
  for (const [name, text] of Object.entries(content)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
}

/** Runs the tool as the executor does: parsed arguments in, one result out. */
async function call(
  tool: Tool,
  args: Json,
  more: Partial<ToolContext> = {},
): Promise<{ output: string; isError: boolean }> {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.issues.join('; '));
  const context: ToolContext = {
    taskId: 'task_1',
    rootId: 'task_1',
    callId: 'call_1',
    depth: 0,
    workspacePath: root,
    onOutput: () => undefined,
    children: async () => [],
    storedOutput: async () => null,
    ...more,
  };
  const outcome = await tool.run(parsed.value, context, never);
  if (outcome.kind !== 'result') throw new Error(`Not a result: ${outcome.kind}`);
  return { output: outcome.output, isError: outcome.isError ?? false };
}

async function run(args: Record<string, Json>, more: Partial<ToolContext> = {}) {
  const user = await nobodyUser();
  const workspacePath = path.join(root, 'ws');
  await chmod(root, 0o755);
  await mkdir(path.join(workspacePath, 'sub'), { recursive: true });
  if (user && process.getuid?.() === 0) await chown(workspacePath, user.uid, user.gid);
  const tool = runCommandTool({ path: '/usr/bin:/bin', user, homesRoot: path.join(root, 'homes') });
  return call(tool, args, { workspacePath, ...more });
}

describe('run_command', () => {
  it('gives exit code and output, and counts any code but 0 as an error', async () => {
    expect(await run({ command: 'echo hi' })).toEqual({ output: 'exit code 0\nhi\n', isError: false });
    expect(await run({ command: 'echo no >&2; exit 2' })).toEqual({
      output: 'exit code 2\nno\n',
      isError: true,
    });
    expect(await run({ command: 'true' })).toEqual({ output: 'exit code 0\n(no output)', isError: false });
  });

  it('says how a command died', async () => {
    expect(await run({ command: 'kill -KILL $$' })).toMatchObject({
      output: expect.stringMatching(/^killed by SIGKILL\n/),
      isError: true,
    });
    expect(await run({ command: 'echo a; sleep 300', timeoutMs: 1_000 })).toMatchObject({
      output: expect.stringMatching(/^timed out after 1000 ms.*\na\n/),
      isError: true,
    });
  });

  it('runs in a folder of the workspace, and nowhere else', async () => {
    expect((await run({ command: 'pwd', cwd: 'sub' })).output).toBe(`exit code 0\n${root}/ws/sub\n`);
    expect(await run({ command: 'pwd', cwd: '..' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('outside'),
    });
    expect(await run({ command: 'pwd', cwd: 'sup' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('"sub"'),
    });
    await files({ 'ws/file': '' });
    expect(await run({ command: 'pwd', cwd: 'file' })).toMatchObject({ isError: true });
  });

  it('passes its output on while it runs', async () => {
    const seen: string[] = [];
    await run({ command: 'echo one; echo two' }, { onOutput: (text) => seen.push(text) });
    expect(seen.join('')).toBe('one\ntwo\n');
  });

  it('takes the longest command that it lets through', async () => {
    const command = `: ${'각'.repeat(31_998)}`;
    expect(await run({ command })).toMatchObject({ isError: false });
    await expect(run({ command: `${command}x` })).rejects.toThrow(/command: /);
  });
});
