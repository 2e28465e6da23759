/** Examples: submitting, steering and listing tasks. */
import {
  DEFAULT_RETRY,
  type CreateTaskInput,
  type ForkCheckpoint,
  type ForkTask,
  type ImportTask,
  type FailureGroup,
  type InboxMessageView,
  type RetryTaskInput,
  type RewindReport,
  type RewindTask,
  type SendMessageInput,
  type TaskView,
  type UsageTotals,
} from '@bullpen/contracts';
import { DEFAULT_LIMITS } from '@bullpen/core';
import type { z } from 'zod';
import {
  at,
  INBOX_ID,
  CHECKPOINT_ID,
  FORK_ID,
  MESSAGE_ID,
  onlyPage,
  SUBTASK_ID,
  TASK_ID,
  WORKER_ID,
  type OperationExample,
} from './example.js';

export const usage: UsageTotals = {
  inputTokens: 1_840,
  outputTokens: 212,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  modelCalls: 1,
  costUsd: '0.0058',
  unpricedCalls: 0,
  estimatedCalls: 0,
  simulated: false,
};

const task: TaskView = {
  id: TASK_ID,
  parentId: null,
  rootId: TASK_ID,
  depth: 0,
  title: 'Say hello',
  agent: 'explorer',
  agentFile: null,
  model: 'claude-sonnet-5-5',
  autonomy: 'background',
  workflow: 'free',
  mode: null,
  modeAsks: null,
  state: 'queued',
  waitReason: null,
  attempt: 1,
  prompt: 'Say hello in one sentence.',
  input: null,
  output: null,
  partial: false,
  failure: null,
  stopCause: null,
  limits: { ...DEFAULT_LIMITS, costUsd: '0.50' },
  retry: DEFAULT_RETRY,
  approvals: {
    alwaysAllowReadOnly: true,
    alwaysAllowWrite: false,
    alwaysAllowExecute: false,
    alwaysAllowBrowser: false,
    alwaysAllowMcp: false,
    alwaysAllowModeSwitch: false,
    alwaysAllowSubtasks: false,
    alwaysAllowFollowupQuestions: true,
    alwaysAllowUpdateTodoList: true,
    alwaysApproveResubmit: true,
  },
  workspace: { kind: 'empty' },
  workspacePath: null,
  sandbox: null,
  priority: 0,
  tags: ['example'],
  metadata: {},
  todos: [],
  turns: 0,
  activeMs: 0,
  usage: { ...usage, inputTokens: 0, outputTokens: 0, modelCalls: 0, costUsd: '0' },
  context: null,
  cancelRequested: false,
  pauseRequested: false,
  workerId: null,
  eventSeq: 1,
  createdAt: at('09:30:00'),
  runAt: null,
  deadlineAt: null,
  dueAt: null,
  retryOfId: null,
  forkedFrom: null,
  importedFrom: null,
  startedAt: null,
  endedAt: null,
  updatedAt: at('09:30:00'),
  archivedAt: null,
};

const running: TaskView = {
  ...task,
  state: 'running',
  turns: 1,
  activeMs: 4_200,
  usage,
  context: {
    ...{ system: 900, tools: 1_200, messages: 340, tokens: 2_440, window: 1_000_000, reservedOutput: 64_000 },
    ...{ budget: 936_000, threshold: 842_400, share: 0.0026, isEstimate: false },
  },
  workerId: WORKER_ID,
  eventSeq: 6,
  startedAt: at('09:30:01'),
};
const paused: TaskView = { ...running, state: 'paused', workerId: null, eventSeq: 8 };
const completed: TaskView = {
  ...running,
  state: 'completed',
  output: 'Hello, and welcome.',
  stopCause: 'goal',
  workerId: null,
  eventSeq: 9,
  endedAt: at('09:30:05'),
};

const message: InboxMessageView = {
  id: INBOX_ID,
  taskId: TASK_ID,
  text: 'Say it in French.',
  createdAt: at('09:30:02'),
  editedAt: null,
  withdrawnAt: null,
  deliveredAt: null,
};
const inbox = { id: TASK_ID, messageId: INBOX_ID };

const failure: FailureGroup = {
  cause: 'error',
  code: 'model_failed',
  errorClass: 'overload',
  message: 'The provider is overloaded.',
  count: 3,
  roots: 2,
  firstAt: at('08:10:00'),
  lastAt: at('08:55:00'),
  exampleId: TASK_ID,
  agents: ['explorer'],
  signature: '3f9d2c1b7a60e845',
  trend: Array.from({ length: 24 }, (_, hour) => (hour > 20 ? 1 : 0)),
  newest: [{ id: TASK_ID, title: 'Say hello', at: at('08:55:00'), costUsd: '0.0058' }],
};

export const taskExamples = {
  createTask: {
    body: {
      prompt: 'Say hello in one sentence.',
      agent: 'explorer',
      title: 'Say hello',
      limits: { costUsd: '0.50' },
      tags: ['example'],
    } satisfies CreateTaskInput,
    answer: task,
  },
  forkCheckpoint: {
    parameters: { id: CHECKPOINT_ID },
    body: { message: 'Say it in French instead.' } satisfies ForkCheckpoint,
    answer: {
      ...task,
      id: FORK_ID,
      rootId: FORK_ID,
      workspace: { kind: 'fork', checkpointId: CHECKPOINT_ID, history: true, origin: { kind: 'empty' } },
      forkedFrom: { taskId: TASK_ID, checkpointId: CHECKPOINT_ID },
    } satisfies TaskView,
  },
  forkTask: {
    parameters: { id: TASK_ID },
    body: { message: 'Say it in French instead.' } satisfies ForkTask,
    answer: {
      ...task,
      ...{ id: FORK_ID, rootId: FORK_ID, forkedFrom: { taskId: TASK_ID, checkpointId: null } },
    } satisfies TaskView,
  },
  importTask: {
    body: {
      ...{ format: 'bullpen-task', version: 1, exportedAt: at('09:31:00'), rootId: TASK_ID },
      tasks: [{ task: completed, events: [], messages: [], toolCalls: [] }],
    } satisfies z.input<typeof ImportTask>,
    answer: {
      ...{ ...completed, id: FORK_ID, rootId: FORK_ID },
      importedFrom: {
        ...{ taskId: TASK_ID, state: 'completed', exportedAt: at('09:31:00'), importedAt: at('10:02:00') },
      },
    } satisfies TaskView,
  },
  listTasks: { answer: onlyPage(completed) },
  getTask: { parameters: { id: TASK_ID }, answer: completed },
  updateTask: {
    parameters: { id: TASK_ID },
    body: { title: 'Say hello to everybody', priority: 10 },
    answer: { ...running, title: 'Say hello to everybody', priority: 10 },
  },
  getTaskTree: {
    parameters: { id: TASK_ID },
    answer: {
      rootId: TASK_ID,
      tasks: [
        { ...running, path: [TASK_ID] },
        { ...running, id: SUBTASK_ID, parentId: TASK_ID, depth: 1, path: [TASK_ID, SUBTASK_ID] },
      ],
    },
  },
  cancelTask: {
    parameters: { id: TASK_ID },
    body: { reason: 'Not needed any more.' },
    answer: { ...running, cancelRequested: true },
  },
  switchAutonomy: {
    parameters: { id: TASK_ID },
    body: { autonomy: 'plan' },
    answer: { ...running, autonomy: 'plan' },
  },
  pauseTask: {
    parameters: { id: TASK_ID },
    body: { now: false },
    answer: { ...running, pauseRequested: true },
  },
  resumeTask: { parameters: { id: TASK_ID }, body: {}, answer: { ...paused, state: 'queued' } },
  interruptTask: { parameters: { id: TASK_ID }, body: { message: 'Say goodbye instead.' }, answer: running },
  sendMessage: {
    parameters: { id: TASK_ID },
    body: { text: 'Say it in French.', strategy: 'queue' } satisfies SendMessageInput,
    answer: message,
  },
  listMessages: {
    parameters: { id: TASK_ID },
    answer: onlyPage({ ...message, deliveredAt: at('09:30:03') }),
  },
  editMessage: {
    parameters: inbox,
    body: { text: 'Say it in Spanish.' },
    answer: { ...message, text: 'Say it in Spanish.', editedAt: at('09:30:03') },
  },
  withdrawMessage: { parameters: inbox, answer: { ...message, withdrawnAt: at('09:30:03') } },
  rewindTask: {
    parameters: { id: TASK_ID },
    body: { messageId: MESSAGE_ID } satisfies RewindTask,
    answer: { taskId: TASK_ID, exchanges: 1, messages: 2, text: 'Say it in French.' } satisfies RewindReport,
  },
  retryTask: {
    parameters: { id: TASK_ID },
    body: { mode: 'resume' } satisfies RetryTaskInput,
    answer: { ...task, attempt: 2 },
  },
  listFailures: { answer: { data: [failure], total: 3, from: at('00:00:00'), to: at('09:30:00') } },
} satisfies Record<string, OperationExample>;
