/** Examples: what happened in tasks, and what it cost. */
import type {
  ApiMessageView,
  AttemptView,
  Briefing,
  ModelCallView,
  TaskEvent,
  TaskUsageView,
  Timeline,
  ToolCallView,
} from '@bullpen/contracts';
import {
  at,
  CALL_ID,
  MESSAGE_ID,
  MODEL_CALL_ID,
  onlyPage,
  TASK_ID,
  type OperationExample,
} from './example.js';
import { usage } from './task.examples.js';

const OUTPUT = 'README.md  1.2 kB\nsrc/main.ts  3.4 kB';
const parameters = { id: TASK_ID };

const attempt: AttemptView = {
  number: 1,
  startedAt: at('09:30:01'),
  endedAt: at('09:30:05'),
  outcome: 'completed',
  failure: null,
};

const briefing: Briefing = {
  environment:
    'System: Linux 6.1\nGit: branch main, clean, last commits: "Add a start page"\nDate: 2026-11-28',
  rules: [
    {
      path: 'AGENTS.md',
      bytes: 43,
      sha256: 'c9f31f4b2c6b4a1f8f6f9d8f9a3a5f0b7c1d2e3f405162738495a6b7c8d9eaf0',
      text: 'Work on topic/*. Run npm test before you end.',
      cut: false,
      problem: null,
    },
  ],
  items: [],
};

const toolCall: ToolCallView = {
  id: CALL_ID,
  taskId: TASK_ID,
  turn: 1,
  position: 0,
  toolUseId: 'toolu_01A09q90qw90lq917835lq9',
  tool: 'list_files',
  state: 'done',
  rawArguments: '{"path":"."}',
  arguments: { path: '.' },
  approval: { verdict: 'approve', rule: 'alwaysAllowReadOnly', reason: 'Reading is allowed.', by: 'policy' },
  output: OUTPUT,
  outputTruncated: false,
  isError: false,
  childTaskId: null,
  sandbox: null,
  durationMs: 12,
  startedAt: at('09:30:03'),
  endedAt: at('09:30:03'),
};

const modelCall: ModelCallView = {
  id: MODEL_CALL_ID,
  turn: 1,
  attempt: 1,
  phase: 'work',
  profile: 'claude-sonnet-5-5',
  model: 'claude-sonnet-5-5',
  status: 'done',
  requestHash: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  requestMessages: 1,
  context: {
    ...{ system: 900, tools: 1_200, messages: 340, tokens: 2_440, window: 1_000_000, reservedOutput: 64_000 },
    ...{ budget: 936_000, threshold: 842_400, share: 0.0026, isEstimate: false },
  },
  usage: {
    ...{ inputTokens: 20, outputTokens: 220, cacheReadTokens: 0 },
    ...{ cacheWrite5mTokens: 2_200, cacheWrite1hTokens: 0 },
  },
  costUsd: '0.00774',
  firstByteMs: 640,
  firstTextMs: 910,
  durationMs: 4_000,
  providerRequestId: 'req_011CSHoEeqs5C35K2UUqR7Fy',
  stopReason: 'end_turn',
  errorClass: null,
  errorMessage: null,
  retryDelayMs: null,
  startedAt: at('09:30:01'),
  endedAt: at('09:30:05'),
};

const apiMessage: ApiMessageView = {
  id: MESSAGE_ID,
  seq: 2,
  turn: 1,
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello, and welcome.' }],
  stopReason: 'end_turn',
  reduction: null,
  createdAt: at('09:30:05'),
  droppedAt: null,
};

const event: TaskEvent = {
  type: 'message.agent',
  data: { messageId: MESSAGE_ID, turn: 1, text: 'Hello, and welcome.' },
  taskId: TASK_ID,
  rootId: TASK_ID,
  seq: 7,
  cursor: '4211-98',
  at: at('09:30:05'),
};
const events = { data: [event], nextAfter: null, hasMore: false };
const streamed = (id: string): string =>
  `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const taskUsage: TaskUsageView = {
  taskId: TASK_ID,
  own: usage,
  tree: usage,
  byModel: [{ ...usage, model: 'claude-sonnet-5-5' }],
  budget: { limitUsd: '0.50', spentUsd: usage.costUsd, reservedUsd: '0' },
  toolCalls: [{ tool: 'list_files', calls: 1, errors: 0, durationMs: 12 }],
};

const timeline: Timeline = {
  rootId: TASK_ID,
  now: at('09:31:00'),
  tasks: [
    {
      taskId: TASK_ID,
      spans: [
        { state: 'queued', reason: null, from: at('09:30:00'), to: at('09:30:01') },
        { state: 'running', reason: null, from: at('09:30:01'), to: at('09:30:05') },
        { state: 'completed', reason: null, from: at('09:30:05'), to: null },
      ],
    },
  ],
};

export const historyExamples = {
  getBriefing: { parameters, answer: { briefing } },
  listAttempts: { parameters, answer: { data: [attempt] } },
  listToolCalls: { parameters, answer: onlyPage(toolCall) },
  getToolOutput: {
    parameters: { ...parameters, callId: CALL_ID },
    answer: { callId: CALL_ID, output: OUTPUT },
  },
  listModelCalls: { parameters, answer: onlyPage(modelCall) },
  getModelCallBodies: {
    parameters: { ...parameters, callId: MODEL_CALL_ID },
    answer: {
      modelCallId: MODEL_CALL_ID,
      request: { bytes: 41, text: '{"model":"claude-sonnet-5-5","messages":[' },
      response: { bytes: 26, text: '{"stopReason":"end_turn"}' },
      keptAt: at('09:30:05'),
    },
  },
  getApiHistory: { parameters, answer: onlyPage(apiMessage) },
  getUiHistory: { parameters, answer: events },
  listEvents: { parameters, answer: events },
  streamTask: { parameters, answer: streamed('7') },
  streamTasks: { answer: streamed(event.cursor) },
  getTaskUsage: { parameters, answer: taskUsage },
  getTimeline: { parameters, answer: timeline },
  getUsage: {
    parameters: { groupBy: 'day' },
    answer: {
      groupBy: 'day',
      splitBy: null,
      data: [{ ...usage, key: '2026-11-28', part: null }],
      total: usage,
      outcomes: [{ state: 'completed', trees: 1, costUsd: '0.0058', unpricedCalls: 0 }],
      dearest: [{ taskId: TASK_ID, title: 'Say hello', tasks: 1, costUsd: '0.0058', unpricedCalls: 0 }],
    },
  },
} satisfies Record<string, OperationExample>;
