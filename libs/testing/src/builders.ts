/** Builders of the core's values: a test names the fields that matter, the rest is sensible and always the same. */
import type {
  AgentDefinition,
  ContentBlock,
  ContextSize,
  CreateTask,
  CreateTaskInput,
} from '@bullpen/contracts';
import {
  ANY_COMMAND,
  CreateTask as CreateTaskSchema,
  DEFAULT_ASKS,
  DEFAULT_RETRY,
  NO_TOKENS,
} from '@bullpen/contracts';
import type {
  ModelCallRecord,
  ModelRequest,
  NewChild,
  Step,
  StoredMessage,
  TaskRecord,
  ToolCallRecord,
  UsageWrite,
} from '@bullpen/core';
import { ALL_APPROVALS, builtInProfile, emptyStep } from '@bullpen/core';
import { newId } from '@bullpen/platform';

const AT = new Date('2026-01-01T00:00:00.000Z');

/** An agent that may do everything unasked, with limits that no test reaches by accident. */
export function aDefinition(overrides: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name: 'tester',
    description: 'An agent for tests.',
    model: 'claude-sonnet-5-5',
    profile: null,
    profiles: [],
    helperProfile: null,
    helper: null,
    maxOutputTokens: 4_096,
    systemPrompt: 'You are a test.',
    tools: [],
    autonomy: 'background',
    conversation: false,
    approvals: ALL_APPROVALS,
    rules: ANY_COMMAND,
    asks: DEFAULT_ASKS,
    condense: true,
    limits: { turns: 200, activeMs: 3_600_000, tokens: 10_000_000, costUsd: '5', subtasks: 100, depth: 5 },
    inputSchema: null,
    outputSchema: null,
    retry: DEFAULT_RETRY,
    file: null,
    workspaceAgents: [],
    keepBodies: false,
    ...overrides,
  };
}

/** A root task that has not done anything yet. */
export function aTask(overrides: Partial<TaskRecord> = {}): TaskRecord {
  const id = overrides.id ?? newId('task');
  return {
    id,
    tenantId: 'local',
    parentId: null,
    rootId: id,
    depth: 0,
    title: 'A task',
    definition: aDefinition(),
    autonomy: overrides.definition?.autonomy ?? 'background',
    mode: overrides.definition?.machine === undefined ? null : 'idle',
    modeContext: null,
    route: null,
    prompt: 'Do it.',
    input: null,
    workspace: { kind: 'empty' },
    workspacePath: null,
    workspaceId: overrides.rootId ?? id,
    workspaceEpoch: null,
    contextItems: [],
    briefing: null,
    sandbox: null,
    leftBy: null,
    crashes: 0,
    attempt: 1,
    phase: 'work',
    pendingCause: null,
    turns: 0,
    repairs: 0,
    mistakes: 0,
    childCount: 0,
    activeMs: 0,
    usage: NO_TOKENS,
    costNanoUsd: 0n,
    todos: [],
    inboxPending: 0,
    cancelRequested: false,
    pauseRequested: false,
    interrupted: false,
    rollback: false,
    deadlineAt: null,
    retries: 0,
    createdAt: AT,
    ...overrides,
  };
}

/** A message; `content` may be a plain text. */
export function aMessage(
  overrides: Partial<Omit<StoredMessage, 'content'>> & {
    readonly content?: string | readonly ContentBlock[];
  } = {},
): StoredMessage {
  const { content = 'Hello', ...rest } = overrides;
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { id: newId('msg'), seq: 1, turn: 0, role: 'user', stopReason: null, ...rest, content: blocks };
}

/** A call that the model asked for and that nobody has started. */
export function aToolCall(overrides: Partial<ToolCallRecord> = {}): ToolCallRecord {
  const id = overrides.id ?? newId('call');
  return {
    id,
    messageId: newId('msg'),
    turn: 1,
    position: 0,
    toolUseId: `toolu_${id.slice(-8)}`,
    tool: 'read_file',
    status: 'generated',
    rawArguments: '{}',
    arguments: {},
    approval: null,
    output: null,
    fullOutput: null,
    media: null,
    isError: false,
    childTaskId: null,
    startedAt: null,
    endedAt: null,
    completesTask: false,
    startedEpoch: null,
    sandbox: null,
    ...overrides,
  };
}

/** A model call that has begun. */
export function aModelCall(overrides: Partial<ModelCallRecord> = {}): ModelCallRecord {
  return {
    id: newId('mcall'),
    turn: 1,
    attempt: 1,
    taskAttempt: 1,
    phase: 'work',
    profile: 'claude-sonnet-5-5',
    model: 'claude-sonnet-5-5',
    status: 'started',
    requestHash: '0'.repeat(64),
    requestMessages: 1,
    context: null,
    firstByteMs: null,
    firstTextMs: null,
    reservedNanoUsd: 0n,
    providerRequestId: null,
    stopReason: null,
    errorClass: null,
    errorMessage: null,
    retryDelayMs: null,
    startedAt: AT,
    endedAt: null,
    ...overrides,
  };
}

/** A window of 20,000 tokens of which the answer may have 4,000, filled to 80 percent by an estimate. */
export function aContext(overrides: Partial<ContextSize> = {}): ContextSize {
  return {
    ...{
      system: 1_000,
      tools: 2_000,
      messages: 9_800,
      tokens: 12_800,
      window: 20_000,
      reservedOutput: 4_000,
    },
    ...{ budget: 16_000, threshold: 14_400, share: 0.8, isEstimate: true },
    ...overrides,
  };
}

/** A booked model call: 120 tokens, and what they cost. */
export function aUsage(overrides: Partial<UsageWrite> = {}): UsageWrite {
  return {
    modelCallId: newId('mcall'),
    model: 'claude-sonnet-5-5',
    usage: { ...NO_TOKENS, inputTokens: 100, outputTokens: 20 },
    costNanoUsd: 400_000n,
    price: null,
    estimated: false,
    simulated: false,
    ...overrides,
  };
}

/** A step that changes nothing but what is named. */
export function aStep(overrides: Partial<Step> = {}): Step {
  return { ...emptyStep(), ...overrides };
}

/** A subtask as a step brings it into the world. */
export function aNewChild(overrides: Partial<NewChild> = {}): NewChild {
  return {
    id: newId('task'),
    callId: newId('call'),
    title: 'A subtask',
    prompt: 'Do a part of it.',
    input: null,
    definition: aDefinition(),
    ...overrides,
  };
}

/** The smallest request that a model port takes. */
export function aModelRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    ...builtInProfile('claude-sonnet-5-5'),
    maxOutputTokens: 4_096,
    system: 'You are a test.',
    tools: [],
    toolChoice: { type: 'auto' },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ...overrides,
  };
}

/** A body of `POST /v1/tasks` as the schema leaves it, defaults filled in. */
export function aCreateTask(overrides: Partial<CreateTaskInput> = {}): CreateTask {
  return CreateTaskSchema.parse({ prompt: 'Do it.', ...overrides });
}
