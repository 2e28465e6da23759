/** A world in memory for specs of the agent loop: store, scripted model, two tools, a clock that moves by itself. */
import { createHash } from 'node:crypto';
import type { AgentDefinition, Json } from '@bullpen/contracts';
import {
  defineTool,
  harnessTools,
  NO_SECRETS,
  OPEN_GATE,
  runTask,
  type LoopDeps,
  type ModelPrice,
  type RunEnd,
  ToolRegistry,
  withoutCheckpoints,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@bullpen/core';
import type { ToolSpec } from '../src/tools/define-tool.js';
import type { ValidateJson } from '../src/ports/loop-deps.js';
import { approvesAnyCommand, MemoryTaskStore, type MemoryTask } from '@bullpen/core/testing';
import { aDefinition, ScriptedModel, type ScriptedStep } from '@bullpen/testing';
import { z } from 'zod';

const PRICE: ModelPrice = {
  inputNanoUsd: 2_000n,
  outputNanoUsd: 10_000n,
  cacheReadNanoUsd: 200n,
  cacheWrite5mNanoUsd: 2_500n,
  cacheWrite1hNanoUsd: 4_000n,
};
/** As much of JSON Schema as the specs need. */
const validate: ValidateJson = (schema, value) =>
  schema['type'] === 'object' && typeof value !== 'object' ? ['must be an object'] : [];
export const never = new AbortController().signal;

/** What it does may be replaced by a spec. */
export interface CountingTool extends Tool {
  readonly runs: Json[];
  run: (args: Json, context: ToolContext, signal: AbortSignal) => ToolOutcome | Promise<ToolOutcome>;
}

/** A tool that counts its runs. */
export function countingTool(
  name: string,
  group: Tool['group'],
  resume: Tool['resume'],
  run: (args: Json, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>,
  more: Pick<ToolSpec<z.ZodObject>, 'inspect' | 'preview'> = {},
): CountingTool {
  const runs: Json[] = [];
  const tool: CountingTool = {
    ...defineTool({
      ...{ name, description: name, group, resume },
      input: z.looseObject({}),
      ...(group === 'execute' ? { inspect: () => Promise.resolve({ command: name }) } : {}),
      ...more,
      run: (args, context, signal) => tool.run(args as Json, context, signal),
    }),
    runs,
    run: (args, context) => {
      runs.push(args);
      return run(args, context);
    },
  };
  return tool;
}

export class World {
  readonly store = new MemoryTaskStore();
  readonly model = new ScriptedModel();
  readonly read = countingTool('read', 'read', 'repeat', (args) => ({
    kind: 'result',
    output: `read ${JSON.stringify(args)}`,
  }));
  readonly act = countingTool('act', 'execute', 'report', () => ({ kind: 'result', output: 'acted' }));
  readonly setup = countingTool('run_command', 'execute', 'report', () => ({
    kind: 'result',
    output: 'exit code 0\nset up',
  }));
  readonly agents: AgentDefinition[] = [];
  readonly slept: number[] = [];
  workspaceOptions: { readonly setup?: string } = {};
  tools: Tool[] = [this.read, this.act];
  clock = 1_000_000;
  yields = false;
  private ids = 0;

  deps(overrides: Partial<LoopDeps> = {}): LoopDeps {
    return {
      store: this.store,
      model: this.model,
      tools: ({ definition }) =>
        new ToolRegistry([...this.tools, ...harnessTools({ agents: this.agents, validate })]).toolsOf(
          definition,
        ),
      setupTool: this.setup,
      workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
      validate,
      priceOf: (model) => (model === 'unpriced' ? null : PRICE),
      judgeCommand: approvesAnyCommand,
      gate: OPEN_GATE,
      masker: NO_SECRETS,
      now: () => (this.clock += 10),
      sleep: (ms) => {
        this.slept.push(ms);
        return Promise.resolve();
      },
      timeout: () => never,
      random: () => 0.5,
      newId: (prefix) => `${prefix}_${(this.ids += 1)}`,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
      emit: () => undefined,
      holdsLease: () => true,
      shouldYield: () => this.yields,
      ...overrides,
    };
  }

  submit(definition: Partial<AgentDefinition> = {}, ...script: ScriptedStep[]): MemoryTask {
    this.store.create({
      id: 'task_root',
      definition: aDefinition({ tools: ['read', 'act'], ...definition }),
      workspace: { kind: 'empty', ...this.workspaceOptions },
    });
    this.model.push(...script);
    return this.store.get('task_root');
  }

  /** Runs whatever is queued until nothing is. */
  async drain(deps = this.deps()): Promise<RunEnd[]> {
    const ends: RunEnd[] = [];
    while (this.store.wakes.length > 0) {
      const lease = await this.store.claimNext('worker_1');
      if (lease) ends.push(await runTask(lease, deps, never));
    }
    return ends;
  }
}

/** Throws at the n-th commit, before or after it is stored: what a crash looks like to the store. Gives the number of commits so far. */
export function crashAt(store: MemoryTaskStore, n: number, when: 'before' | 'after'): () => number {
  let count = 0;
  const commit = store.commit.bind(store);
  store.commit = async (lease, step) => {
    count += 1;
    if (count === n && when === 'before') throw new Error('crash');
    const result = await commit(lease, step);
    if (count === n) throw new Error('crash');
    return result;
  };
  return () => count;
}

/** The texts of the tool results in a message. */
export function results(task: MemoryTask, seq: number): { id: string; text: string; error: boolean }[] {
  return (task.messages[seq - 1]?.content ?? []).flatMap((block) =>
    block.type === 'tool_result'
      ? [{ id: block.tool_use_id, text: block.content, error: block.is_error === true }]
      : [],
  );
}
