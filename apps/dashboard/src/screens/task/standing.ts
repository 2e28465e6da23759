/** What the head of a task says, worked out from what is known of it. Pure. */
import type { StopCause, TaskUsageView, TaskView } from '@bullpen/contracts';
import { isTerminal, nanoUsdOf, usdOf } from '@bullpen/contracts';
import { lookOf, type StateLook } from '../../ui/state.js';
import type { TreeTask } from './task-context.js';

export interface Budget {
  readonly limitUsd: string;
  /** Percent of the limit, adding up to 100 at most. */
  readonly own: number;
  readonly rest: number;
  readonly held: number;
  readonly spent: number;
  readonly look: 'fine' | 'near' | 'over';
}

/** From this share on, a budget is nearly used up, in percent. */
const NEAR = 80;

/** How much of the budget of a tree is spent, and by whom; null without one. A budget is of the root and all below it. */
export function budgetOf({ own, budget }: TaskUsageView, isRoot: boolean): Budget | null {
  if (budget.limitUsd === null) return null;
  const limit = nanoUsdOf(budget.limitUsd);
  if (limit === 0n) return null;
  const share = (usd: string): number => Number((nanoUsdOf(usd) * 10_000n) / limit) / 100;
  const spent = share(budget.spentUsd);
  const ownShare = isRoot ? Math.min(share(own.costUsd), spent) : 0;
  const inBar = (value: number, before: number): number => Math.max(0, Math.min(value, 100 - before));
  return {
    limitUsd: budget.limitUsd,
    spent,
    own: inBar(ownShare, 0),
    rest: inBar(spent - ownShare, ownShare),
    held: inBar(share(budget.reservedUsd), spent),
    look: spent >= 100 ? 'over' : spent >= NEAR ? 'near' : 'fine',
  };
}

/** The tasks below another one, in the order of the tree. */
export function descendantsOf(tree: Iterable<TreeTask>, id: string): TreeTask[] {
  return [...tree].filter((task) => task.id !== id && task.path.includes(id));
}

export interface Kids {
  readonly done: number;
  readonly all: number;
  readonly looks: readonly StateLook[];
}

/** Direct subtasks; those of them that are over are done. */
export function kidsOf(tree: Iterable<TreeTask>, id: string): Kids {
  const kids = [...tree].filter(({ parentId }) => parentId === id);
  return {
    all: kids.length,
    done: kids.filter(({ state }) => isTerminal(state)).length,
    looks: kids.map(lookOf),
  };
}

/** What a limit becomes when a task that reached it is to go on. */
export interface Raise {
  readonly limits: Partial<TaskView['limits']>;
  readonly by:
    | { readonly kind: 'turns' | 'minutes' | 'tokens'; readonly n: number }
    | { readonly kind: 'cost'; readonly usd: string }
    | null;
}

/** With fewer nothing is done. */
const LEAST_TURNS = 10;

/** How a task that stopped for this cause goes on; half as much again of what it had used up. */
export function raiseOf({ stopCause, limits }: Pick<TaskView, 'stopCause' | 'limits'>): Raise {
  const half = (value: number): number => Math.max(1, Math.round(value / 2));
  switch (stopCause) {
    case 'turn_limit': {
      const n = Math.max(LEAST_TURNS, half(limits.turns));
      return { limits: { turns: limits.turns + n }, by: { kind: 'turns', n } };
    }
    case 'time_limit':
      return {
        limits: { activeMs: limits.activeMs + half(limits.activeMs) },
        by: { kind: 'minutes', n: Math.max(1, Math.round(half(limits.activeMs) / 60_000)) },
      };
    case 'token_limit':
      return {
        limits: { tokens: limits.tokens + half(limits.tokens) },
        by: { kind: 'tokens', n: half(limits.tokens) },
      };
    case 'cost_limit': {
      if (limits.costUsd === null) return { limits: {}, by: null };
      const usd = usdOf((nanoUsdOf(limits.costUsd) * 3n) / 2n);
      return { limits: { costUsd: usd }, by: { kind: 'cost', usd } };
    }
    default:
      return { limits: {}, by: null };
  }
}

/** Ends that a person has to look at: what failed, and what the agent itself calls unfinished. */
export function wantsLook({ state, stopCause }: Pick<TaskView, 'state' | 'stopCause'>): boolean {
  const unfinished: readonly (StopCause | null)[] = ['partial', 'blocked'];
  return state === 'failed' || (state === 'completed' && unfinished.includes(stopCause));
}
