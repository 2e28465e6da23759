/** The agent loop without anything slow around it: a model that answers at once, a tool that does nothing, a real store. */
import { createHash } from 'node:crypto';
import {
  ANY_COMMAND,
  DEFAULT_ASKS,
  DEFAULT_RETRY,
  NO_TOKENS,
  type AgentDefinition,
  type Json,
  type CommitEffects,
} from '@bullpen/contracts';
import {
  ALL_APPROVALS,
  NO_SECRETS,
  OPEN_GATE,
  success,
  ToolRegistry,
  withoutCheckpoints,
  type LoopDeps,
  type Model,
  type ModelChunk,
  type ModelRequest,
  type Tool,
} from '@bullpen/core';
import { approvesAnyCommand } from '@bullpen/core/testing/memory';
import { newId } from '@bullpen/platform';
import { TaskCommands, type PostgresTaskStore } from '@bullpen/store';
import type { Pool } from './database.js';

/** The tenant of what the bench makes, unless told otherwise. */
const TENANT = 'default';

/** A tool that does nothing. */
export const NOOP: Tool = {
  name: 'noop',
  description: 'Does nothing.',
  group: 'write',
  resume: 'repeat',
  inputSchema: { type: 'object' },
  parse: (args) => ({ ok: true, call: { args, run: () => Promise.resolve(success('ok')) } }),
};

/** What one answer of the scripted model is made of: a text, or calls. */
export type Answer =
  { readonly text: string } | { readonly calls: readonly { readonly name: string; readonly input: Json }[] };

/**
 * A model that answers at once, at the same cost for every turn: it does not look at the history. `onAsked` is told of each
 * request before its answer begins; a request whose signal has fired by then is aborted.
 */
export function scriptedModel(
  answer: (n: number, request: ModelRequest) => Answer | Promise<Answer>,
  onAsked: () => void = () => undefined,
): Model {
  let asked = 0;
  let calls = 0;
  return {
    async *stream(request, signal): AsyncGenerator<ModelChunk> {
      onAsked();
      if (signal.aborted) {
        yield { type: 'error', error: ABORTED };
        return;
      }
      const next = await answer(asked, request);
      asked += 1;
      yield { type: 'response', providerRequestId: null, simulated: true };
      if ('text' in next) yield { type: 'text', index: 0, text: next.text };
      else {
        for (const [index, { name, input }] of next.calls.entries()) {
          calls += 1;
          yield { type: 'tool_call_start', index, id: `toolu_${calls}`, name };
          yield { type: 'tool_call_delta', index, json: JSON.stringify(input) };
          yield { type: 'tool_call_end', index };
        }
      }
      yield { type: 'usage', usage: { ...NO_TOKENS, inputTokens: 100, outputTokens: 20 } };
      yield { type: 'stop', stopReason: 'text' in next ? 'end_turn' : 'tool_use' };
    },
  };
}

const ABORTED = {
  class: 'aborted',
  message: 'The bench stopped the task.',
  httpStatus: null,
  retryAfterMs: null,
  providerRequestId: null,
} as const;

/** So many turns with one call of `noop` each, then the end. No call repeats one before. */
export function noopTurns(turns: number): (n: number) => Answer {
  return (n) => (n < turns ? { calls: [{ name: 'noop', input: { n } }] } : { text: 'Done.' });
}

/** Everything that the loop needs, as a worker gives it, but for model, tools and workspace. */
export function loopDeps(
  store: PostgresTaskStore,
  model: Model,
  registry = new ToolRegistry([NOOP]),
): LoopDeps {
  const price = {
    inputNanoUsd: 3_000n,
    outputNanoUsd: 15_000n,
    cacheReadNanoUsd: 300n,
    cacheWrite5mNanoUsd: 3_750n,
    cacheWrite1hNanoUsd: 6_000n,
  };
  return {
    store,
    model,
    tools: ({ definition }) => registry.toolsOf(definition),
    setupTool: NOOP,
    workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
    validate: () => [],
    priceOf: () => price,
    judgeCommand: approvesAnyCommand,
    gate: OPEN_GATE,
    masker: NO_SECRETS,
    now: Date.now,
    sleep: () => Promise.resolve(),
    timeout: (ms) => AbortSignal.timeout(ms),
    random: Math.random,
    newId,
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    emit: () => undefined,
    holdsLease: () => true,
    shouldYield: () => false,
  };
}

/** An agent that may call the tools named, within limits that no figure reaches. */
export function benchAgent(tools: readonly string[], name = 'bench'): AgentDefinition {
  return {
    name,
    description: 'An agent of the bench.',
    model: 'claude-sonnet-5-5',
    profile: null,
    profiles: [],
    helperProfile: null,
    helper: null,
    file: null,
    workspaceAgents: [],
    keepBodies: false,
    maxOutputTokens: 4_096,
    systemPrompt: 'You are part of a bench.',
    tools: [...tools],
    autonomy: 'background',
    conversation: false,
    retry: DEFAULT_RETRY,
    approvals: ALL_APPROVALS,
    rules: ANY_COMMAND,
    asks: DEFAULT_ASKS,
    condense: true,
    limits: {
      turns: 10_000,
      activeMs: 86_400_000,
      tokens: 1_000_000_000,
      costUsd: '100000',
      subtasks: 10_000,
      depth: 5,
    },
    inputSchema: null,
    outputSchema: null,
  };
}

/** Stores a task as a submit does; gives its id. `onCommitted` hears of its wake. */
export async function createTask(
  pool: Pool,
  definition: AgentDefinition,
  onCommitted: (effects: CommitEffects) => void = () => undefined,
  tenantId = TENANT,
): Promise<string> {
  const id = newId('task');
  await new TaskCommands({ pool, newId, onCommitted }).create({
    id,
    tenantId,
    title: 'Bench',
    definition,
    prompt: 'Do it.',
    input: null,
    workspace: { kind: 'empty' },
    priority: 0,
    runAt: null,
    tags: [],
    metadata: {},
  });
  return id;
}
