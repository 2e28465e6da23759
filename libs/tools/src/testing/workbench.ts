/** A folder of its own for each test of a spec, and a way to call tools in it as the executor does. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { NO_RULES, type Json } from '@bullpen/contracts';
import { NO_SECRETS, type Tool, type ToolContext } from '@bullpen/core';
import { aTask } from '@bullpen/testing';

export interface CallResult {
  readonly output: string;
  readonly isError: boolean;
  readonly media?: readonly Uint8Array[];
}

export interface Workbench {
  /** The folder of the present test. */
  readonly root: string;
  /** Writes files by their paths below the folder. */
  files(content: Record<string, string | Buffer>): Promise<void>;
  /** Runs a tool: parsed arguments in, one result out. */
  call(tool: Tool, args: Json, more?: Partial<ToolContext>): Promise<CallResult>;
}

/** Makes the folder before each test and removes it after; call it once, at the top of a spec. */
export function workbench(): Workbench {
  let root = '';
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'tools-')));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  return {
    get root() {
      return root;
    },
    files: (content) => writeAll(root, content),
    call: (tool, args, more) => callIn(root, tool, args, more),
  };
}

async function writeAll(root: string, content: Record<string, string | Buffer>): Promise<void> {
  for (const [name, text] of Object.entries(content)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
}

async function callIn(
  root: string,
  tool: Tool,
  args: Json,
  more: Partial<ToolContext> = {},
): Promise<CallResult> {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.issues.join('; '));
  const context: ToolContext = {
    task: aTask({ id: 'task_1' }),
    callId: 'call_1',
    epoch: 1,
    workspacePath: root,
    policy: NO_RULES,
    onOutput: () => undefined,
    masker: NO_SECRETS,
    children: async () => [],
    storedOutput: async () => null,
    ...more,
  };
  const outcome = await parsed.call.run(context, new AbortController().signal);
  if (outcome.kind !== 'result') throw new Error(`Not a result: ${outcome.kind}`);
  const { output, isError = false, media } = outcome;
  return { output, isError, ...(media && { media }) };
}
