/** What the head of a task says. */
import type { TaskUsageView, TaskView } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { someTotals } from '@bullpen/testing';
import { budgetOf, kidsOf, raiseOf, wantsLook } from './standing.js';
import type { TreeTask } from './task-context.js';

const usage = (own: string, spentUsd: string, limitUsd: string | null, reservedUsd = '0'): TaskUsageView => ({
  taskId: 'task_a',
  own: someTotals({ costUsd: own }),
  tree: someTotals({ costUsd: spentUsd }),
  byModel: [],
  budget: { limitUsd, spentUsd, reservedUsd },
  toolCalls: [],
});

describe('the budget of a tree', () => {
  it('is shared by what the task itself, its subtasks and calls under way take', () => {
    expect(budgetOf(usage('0.78', '4.18', '8.00', '0.31'), true)).toEqual({
      limitUsd: '8.00',
      spent: 52.25,
      own: 9.75,
      rest: 42.5,
      held: 3.87,
      look: 'fine',
    });
  });

  it('is near its end from 80 %, and over it never longer than its bar', () => {
    expect(budgetOf(usage('1', '8', '10'), true)?.look).toBe('near');
    const over = budgetOf(usage('2', '12', '10', '3'), true);
    expect([over?.look, (over?.own ?? 0) + (over?.rest ?? 0) + (over?.held ?? 0)]).toEqual(['over', 100]);
    expect(budgetOf(usage('1', '1', null), true)).toBeNull();
  });
});

describe('a task that stopped at a limit', () => {
  const limits = { turns: 80, activeMs: 3_600_000, tokens: 1_000, costUsd: '3.00', subtasks: 1, depth: 1 };
  const raised = (stopCause: TaskView['stopCause']) => raiseOf({ stopCause, limits });

  it('goes on with half as much again of what it had used up, and of nothing else', () => {
    expect(raised('turn_limit')).toEqual({ limits: { turns: 120 }, by: { kind: 'turns', n: 40 } });
    expect(raised('time_limit')).toEqual({ limits: { activeMs: 5_400_000 }, by: { kind: 'minutes', n: 30 } });
    expect(raised('cost_limit')).toEqual({ limits: { costUsd: '4.50' }, by: { kind: 'cost', usd: '4.50' } });
    expect(raised('error')).toEqual({ limits: {}, by: null });
  });
});

describe('subtasks', () => {
  it('are done when they are over, however they ended', () => {
    const kid = (id: string, state: string, parentId = 'task_a') =>
      ({ id, parentId, state, waitReason: null }) as TreeTask;
    const tree = [kid('a', 'completed'), kid('b', 'failed'), kid('c', 'running'), kid('d', 'completed', 'a')];
    expect(kidsOf(tree, 'task_a')).toEqual({ all: 3, done: 2, looks: ['completed', 'failed', 'running'] });
  });
});

it('what failed wants a look, and so does what the agent calls unfinished', () => {
  expect(wantsLook({ state: 'failed', stopCause: 'error' })).toBe(true);
  expect(wantsLook({ state: 'completed', stopCause: 'blocked' })).toBe(true);
  expect(wantsLook({ state: 'completed', stopCause: 'goal' })).toBe(false);
});
