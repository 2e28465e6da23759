/** What a world is about: the tasks, what their agents will say and do, and what people do meanwhile. All of it from a seed. */
import { ANY_COMMAND, DEFAULT_ASKS, type AgentDefinition, type Json } from '@bullpen/contracts';
import { ALL_APPROVALS, type ModelErrorClass, type WaitMode } from '@bullpen/core';
import type { Random } from './random.js';

export type PlannedTool = 'read' | 'act' | 'note' | 'fly' | 'update_todos';

/** One answer of an agent. */
export type PlannedTurn =
  | { readonly kind: 'text' }
  | { readonly kind: 'calls'; readonly tools: readonly PlannedTool[]; readonly cut: boolean }
  | { readonly kind: 'spawn'; readonly plans: readonly number[]; readonly reads: number }
  | { readonly kind: 'wait'; readonly mode: WaitMode }
  | { readonly kind: 'signal'; readonly trigger: string }
  | { readonly kind: 'complete' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'long' };

/** How a request goes wrong. The places of a cut: before anything, within a block, after one, before a call is closed. */
export type ModelFault =
  | { readonly kind: 'error'; readonly class: ModelErrorClass; readonly retryAfterMs: number | null }
  | { readonly kind: 'cut'; readonly where: 'at_start' | 'in_text' | 'after_text' | 'in_call' }
  | { readonly kind: 'hang' };

export interface PlannedStep {
  readonly turn: PlannedTurn;
  /** What the first requests of this turn meet, one each. */
  readonly faults: readonly ModelFault[];
}

export interface TaskPlan {
  readonly index: number;
  readonly definition: AgentDefinition;
  readonly steps: readonly PlannedStep[];
  /** Answers in the extraction phase that do not fit the schema. */
  readonly badOutputs: number;
  /** The task takes its worker down each time it is begun. */
  readonly poison: boolean;
}

/** What people do. `target` counts tasks in the order of their birth. */
export interface UserAct {
  /**
   * Some look for their moment: those with `waiting` for a task that waits for subtasks, `cancel_lost` for one whose worker was
   * lost while it asked the model, `send_late` for a root
   * that is about to give its last answer. What is paused is resumed later; a `deadline` has passed when it is set.
   */
  readonly kind:
    | 'send'
    | 'send_late'
    | 'cancel'
    | 'cancel_waiting'
    | 'cancel_lost'
    | 'pause'
    | 'pause_now'
    | 'pause_waiting'
    | 'interrupt'
    | 'interrupt_waiting'
    | 'deadline'
    | 'early_timer'
    | 'drain';
  readonly atMs: number;
  readonly target: number;
}

export interface Plan {
  readonly tasks: readonly TaskPlan[];
  readonly acts: readonly UserAct[];
  readonly workers: number;
}

const MAX_TASKS = 6;
const MAX_DEPTH = 2;
const TOOLS = ['read', 'act', 'note', 'update_todos', 'spawn_subtask', 'wait_for_subtasks'];

/** A world to run; people do the `more` acts besides what chance chooses. */
export function randomPlan(random: Random, more: readonly UserAct['kind'][] = []): Plan {
  const tasks: TaskPlan[] = [];
  addTask(random, tasks, 0);
  const acts: UserAct[] = [];
  const act = (kind: UserAct['kind'], within: number) =>
    acts.push({ kind, atMs: random.between(0, within), target: random.between(0, tasks.length - 1) });
  if (random.chance(0.35))
    for (let n = random.between(1, 3); n > 0; n -= 1) act('send', random.pick([500, 3_000]));
  if (random.chance(0.25)) act('cancel', random.pick([300, 1_500, 8_000]));
  if (random.chance(0.12)) act('cancel_waiting', 500);
  if (random.chance(0.12)) act('cancel_lost', 500);
  if (random.chance(0.12)) act('send_late', 100);
  if (random.chance(0.3)) act('early_timer', 4_000);
  if (random.chance(0.2)) act('drain', 2_000);
  if (random.chance(0.25))
    for (let n = random.between(1, 2); n > 0; n -= 1)
      act(random.pick(['pause', 'pause_now'] as const), 2_000);
  if (random.chance(0.12)) act('pause_waiting', 500);
  if (random.chance(0.25))
    for (let n = random.between(1, 2); n > 0; n -= 1) act('interrupt', random.pick([500, 3_000]));
  if (random.chance(0.1)) act('interrupt_waiting', 500);
  if (random.chance(0.06)) act('deadline', 3_000);
  for (const kind of more) act(kind, 2_000);
  return { tasks, acts, workers: random.between(1, 4) };
}

/** The plan of one task, and of those that it spawns; gives its place in the list. */
function addTask(random: Random, tasks: TaskPlan[], depth: number): number {
  const index = tasks.length;
  tasks.push(planOf(index, definitionOf(index), []));
  const steps: PlannedStep[] = [];
  const turns = random.between(depth === 0 ? 1 : 0, 4);
  for (let turn = 0; turn < turns; turn += 1) {
    if (depth < MAX_DEPTH && tasks.length < MAX_TASKS && random.chance(depth === 0 ? 0.5 : 0.2)) {
      steps.push(...subtaskSteps(random, tasks, depth));
    } else {
      steps.push({ turn: ordinaryTurn(random), faults: faultsOf(random) });
    }
  }
  const complete = random.chance(0.3);
  steps.push({ turn: { kind: complete ? 'complete' : 'text' }, faults: faultsOf(random) });
  tasks[index] = {
    ...planOf(index, variedDefinition(random, index, complete), steps),
    badOutputs: random.weighted([
      [6, 0],
      [2, 1],
      [1, 5],
    ]),
    poison: random.chance(0.03),
  };
  return index;
}

function subtaskSteps(random: Random, tasks: TaskPlan[], depth: number): PlannedStep[] {
  const plans: number[] = [];
  const count = random.between(1, 3);
  for (let n = 0; n < count && tasks.length < MAX_TASKS; n += 1)
    plans.push(addTask(random, tasks, depth + 1));
  const spawn: PlannedStep = {
    turn: { kind: 'spawn', plans, reads: random.between(0, 2) },
    faults: faultsOf(random),
  };
  const mode = random.pick<WaitMode>(['all', 'all', 'any', 'first_success']);
  const wait: PlannedStep = { turn: { kind: 'wait', mode }, faults: faultsOf(random) };
  return random.chance(0.85) ? [spawn, wait] : [spawn];
}

function ordinaryTurn(random: Random): PlannedTurn {
  return random.weighted<() => PlannedTurn>([
    [5, () => calls(random, ['read'], random.between(1, 4))],
    [5, () => calls(random, ['act'], random.between(1, 2))],
    [5, () => calls(random, ['read', 'read', 'act', 'note', 'update_todos'], random.between(2, 4))],
    [1, () => calls(random, ['fly', 'read'], 2)],
    [1, () => ({ kind: 'empty' })],
    [0.4, () => ({ kind: 'refusal' })],
    [0.7, () => ({ kind: 'pause' })],
    [0.7, () => ({ kind: 'long' })],
  ])();
}

function calls(random: Random, among: readonly PlannedTool[], count: number): PlannedTurn {
  const tools = Array.from({ length: count }, () => random.pick(among));
  return { kind: 'calls', tools, cut: random.chance(0.08) };
}

function faultsOf(random: Random): ModelFault[] {
  if (!random.chance(0.2)) return [];
  const faults: ModelFault[] = [];
  for (let n = random.between(1, 2); n > 0; n -= 1) faults.push(faultOf(random));
  return faults;
}

function faultOf(random: Random): ModelFault {
  return random.weighted<() => ModelFault>([
    [3, () => ({ kind: 'error', class: 'overload', retryAfterMs: null })],
    [2, () => ({ kind: 'error', class: 'rate_limit', retryAfterMs: random.pick([200, 5_000]) })],
    [2, () => ({ kind: 'error', class: 'network', retryAfterMs: null })],
    [0.4, () => ({ kind: 'error', class: 'authentication', retryAfterMs: null })],
    [0.3, () => ({ kind: 'error', class: 'request', retryAfterMs: null })],
    [
      6,
      () => ({
        kind: 'cut',
        where: random.pick(['at_start', 'in_text', 'after_text', 'in_call'] as const),
      }),
    ],
    [0.5, () => ({ kind: 'hang' })],
  ])();
}

function variedDefinition(random: Random, index: number, complete: boolean): AgentDefinition {
  const base = definitionOf(index);
  const limits = { ...base.limits };
  if (random.chance(0.15)) limits.turns = random.between(1, 3);
  if (random.chance(0.05)) limits.activeMs = 1_000;
  if (random.chance(0.05)) limits.tokens = random.pick([1_000, 4_000]);
  if (random.chance(index === 0 ? 0.3 : 0.1))
    limits.costUsd = random.pick(['0.004', '0.008', '0.015', '0.03']);
  if (random.chance(0.05)) limits.costUsd = null;
  if (random.chance(0.05)) limits.subtasks = 1;
  const outputSchema: { [key: string]: Json } | null = random.chance(0.2) ? { type: 'object' } : null;
  return {
    ...base,
    limits,
    outputSchema,
    tools: complete ? [...TOOLS, 'complete_task'] : TOOLS,
    approvals: { ...base.approvals, alwaysAllowWrite: !random.chance(0.1) },
  };
}

/** A plan without faults, with sensible limits. */
export function planOf(index: number, definition: AgentDefinition, steps: readonly PlannedStep[]): TaskPlan {
  return { index, definition, steps, badOutputs: 0, poison: false };
}

/** The agent that plays a plan: the model recognises it by its name. */
export function definitionOf(index: number): AgentDefinition {
  return {
    name: `plan-${index}`,
    description: `Plays plan ${index}.`,
    model: 'claude-sonnet-5-5',
    profile: null,
    profiles: [],
    helperProfile: null,
    helper: null,
    file: null,
    workspaceAgents: [],
    keepBodies: false,
    maxOutputTokens: 100,
    systemPrompt: 'You follow a plan.',
    tools: TOOLS,
    autonomy: 'background',
    conversation: false,
    approvals: ALL_APPROVALS,
    rules: ANY_COMMAND,
    asks: DEFAULT_ASKS,
    condense: true,
    limits: { turns: 50, activeMs: 3_600_000, tokens: 10_000_000, costUsd: '5', subtasks: 20, depth: 5 },
    // Waits both in place and by suspending, and two attempts at most, within a short virtual life.
    retry: { taskAttempts: 2, modelAttempts: 3, baseMs: 5_000, maxMs: 60_000 },
    inputSchema: null,
    outputSchema: null,
  };
}
