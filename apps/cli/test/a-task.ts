/** Tasks as the API shows them, for specs that name only the fields that matter. */
import { ROOT, someTotals } from '@bullpen/testing';
import { DEFAULT_RETRY, type TaskUsageView, type TaskView } from '@bullpen/contracts';

export function aTaskView(fields: Partial<TaskView> = {}): TaskView {
  return {
    id: ROOT,
    parentId: null,
    rootId: ROOT,
    depth: 0,
    title: 'Explain the build',
    agent: 'general',
    model: 'claude-test',
    autonomy: 'background',
    state: 'completed',
    waitReason: null,
    attempt: 1,
    prompt: 'Explain the build.',
    input: null,
    output: null,
    partial: false,
    failure: null,
    stopCause: 'goal',
    retry: DEFAULT_RETRY,
    limits: { turns: 50, activeMs: 600_000, tokens: 1_000_000, costUsd: '1.00', subtasks: 5, depth: 2 },
    approvals: {
      alwaysAllowReadOnly: true,
      alwaysAllowWrite: false,
      alwaysAllowExecute: false,
      alwaysAllowBrowser: false,
      alwaysAllowMcp: false,
      alwaysAllowModeSwitch: false,
      alwaysAllowSubtasks: false,
      alwaysAllowFollowupQuestions: false,
      alwaysAllowUpdateTodoList: false,
      alwaysApproveResubmit: false,
    },
    workspace: { kind: 'empty' },
    workspacePath: '/home/workspaces/1',
    sandbox: null,
    priority: 0,
    tags: [],
    metadata: {},
    todos: [],
    turns: 4,
    activeMs: 9_000,
    usage: someTotals({ costUsd: '0.0123' }),
    context: null,
    cancelRequested: false,
    pauseRequested: false,
    deadlineAt: null,
    dueAt: null,
    retryOfId: null,
    forkedFrom: null,
    importedFrom: null,
    workerId: null,
    eventSeq: 12,
    createdAt: '2026-01-01T00:00:00.000Z',
    runAt: null,
    startedAt: '2026-01-01T00:00:01.000Z',
    endedAt: '2026-01-01T00:00:13.000Z',
    updatedAt: '2026-01-01T00:00:13.000Z',
    archivedAt: null,
    ...fields,
  };
}

export function aTaskUsage(fields: Partial<TaskUsageView> = {}): TaskUsageView {
  const totals = someTotals({ inputTokens: 1_200, outputTokens: 80, modelCalls: 4, costUsd: '0.0123' });
  return {
    taskId: ROOT,
    own: totals,
    tree: totals,
    byModel: [],
    budget: { limitUsd: '1.00', spentUsd: '0.0123', reservedUsd: '0.00' },
    toolCalls: [],
    ...fields,
  };
}
