/** The file tools as a worker's executor calls them. */
import { NO_RULES, type Json } from '@bullpen/contracts';
import { NO_SECRETS, type Tool, type ToolContext } from '@bullpen/core';
import { aTask } from '@bullpen/testing/harness';
import { unboxed } from '@bullpen/workspace';
import { createTools, type ToolsDeps } from '@bullpen/tools';

export interface Answer {
  readonly output: string;
  readonly isError: boolean;
}

/** Longer than any of them should take; a tool that hangs is given up. */
const LIMIT_MS = 15_000;

/** The tools under attack run no commands, and ask about none. */
const NO_COMMANDS = { command: { sandbox: unboxed(), processes: {} }, records: {} } as unknown as ToolsDeps;

export class FileTools {
  readonly #tools: ReadonlyMap<string, Tool>;
  #calls = 0;

  constructor() {
    this.#tools = new Map(createTools(NO_COMMANDS).map((tool) => [tool.name, tool]));
  }

  /** One call; what the tool throws is an answer, too: the executor makes it one. */
  async call(workspacePath: string, name: string, args: Json): Promise<Answer> {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}`);
    const parsed = tool.parse(args);
    if (!parsed.ok) return { output: parsed.issues.join('; '), isError: true };
    this.#calls += 1;
    const context: ToolContext = { ...CONTEXT, callId: `call_${this.#calls}`, workspacePath };
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      const facts = await parsed.call.inspect?.(context);
      const preview = await parsed.call.preview?.(context);
      const outcome = await parsed.call.run(context, signal);
      if (outcome.kind !== 'result') throw new Error(`${name} gave no result`);
      const output = [outcome.output, JSON.stringify(facts ?? null), preview ?? ''].join('\n');
      return { output, isError: outcome.isError ?? false };
    } catch (error) {
      return { output: String(error), isError: true };
    }
  }

  /** Everything that the tools can do with a path, one after the other; gives all that they said. */
  async all(workspace: string, path: string): Promise<string> {
    const answers = [
      await this.call(workspace, 'read_file', { path }),
      await this.call(workspace, 'list_files', { path, recursive: true, details: true }),
      await this.call(workspace, 'list_files', { path, depth: 2 }),
      await this.call(workspace, 'search_files', { path, pattern: 'canary|root:', context: 2 }),
      await this.call(workspace, 'edit_file', { path, oldText: 'canary', newText: 'changed' }),
      await this.call(workspace, 'write_file', { path, content: 'written by the attack\n' }),
      await this.call(workspace, 'write_file', { path: `${path}/bullpen-escaped`, content: 'written\n' }),
    ];
    return answers.map(({ output }) => output).join('\n');
  }
}

const CONTEXT = {
  task: aTask({ id: 'task_1' }),
  epoch: 1,
  onOutput: () => undefined,
  children: async () => [],
  storedOutput: async () => null,
  policy: NO_RULES,
  masker: NO_SECRETS,
};
