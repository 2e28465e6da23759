/** What a task of a drill does, written into its prompt, and the scripted agent that plays it: a pure function of the request. */
import {
  defineScenario,
  type AgentScript,
  type AgentTurn,
  type Fault,
  type Reply,
  type Scenario,
  type ToolCall,
} from '@bullpen/model-sim';
import { asks, callsThatAsk, type AskingStep } from './asking.js';

export type Step =
  /** Writes a file, reads what is there, looks for a text: tools that may be repeated. */
  | { readonly do: 'write' }
  | { readonly do: 'read' }
  | { readonly do: 'todo' }
  /** Appends a token of its own to the effects file: it must never be there twice. */
  | { readonly do: 'effect'; readonly seconds?: number }
  | { readonly do: 'subtasks'; readonly plans: readonly Plan[] }
  | { readonly do: 'command'; readonly command: string; readonly timeoutMs?: number }
  /** Any calls, also nonsense. */
  | { readonly do: 'calls'; readonly calls: readonly ToolCall[] }
  /** The same call again and again, for ever. */
  | { readonly do: 'circles' }
  | AskingStep;

export interface Plan {
  /** Unique in the drill: the prompt, and with it the first request, belongs to this task alone. */
  readonly key: string;
  readonly steps: readonly Step[];
  /** Time that the model takes for each answer on top, in ms; scaled by the simulator's speed. */
  readonly thinkMs?: number;
  /** By turn: what goes wrong with the request. */
  readonly faults?: Readonly<Record<number, Fault>>;
  /** Length of the last answer. */
  readonly chars?: number;
}

const MARK = 'Plan: ';

/** The prompt of a task that follows the plan. */
export function promptOf(plan: Plan): string {
  return `${plan.key}\n${MARK}${JSON.stringify(plan)}`;
}

/** What a task that followed its plan to the end says. */
export function resultOf(plan: Plan): string {
  return `done ${plan.key}`;
}

/** All plans of a tree, the root first. */
export function plansOf(plan: Plan): readonly Plan[] {
  const children = plan.steps.flatMap((step) => (step.do === 'subtasks' ? step.plans : []));
  return [plan, ...children.flatMap(plansOf)];
}

function tokenOf(key: string, turn: number): string {
  return `${key}/${turn}`;
}

/** The tokens that a task of the plan leaves when it gets to its end, without its subtasks'. */
export function tokensOf(plan: Plan): readonly string[] {
  return turnsOf(plan).flatMap((turn, at) => (turn.do === 'effect' ? [tokenOf(plan.key, at)] : []));
}

/** The scenario of all drills; commands append to `effectsFile`. */
export function drillScenario(effectsFile: string): Scenario {
  const script: AgentScript = (turn) => {
    const line = turn.prompt.split('\n').find((text) => text.startsWith(MARK));
    if (line === undefined) return { text: 'I have no plan.' };
    return follow(JSON.parse(line.slice(MARK.length)) as Plan, turn, effectsFile);
  };
  return defineScenario({ name: 'drill', agents: { general: script } });
}

/** A step of subtasks takes two turns, every other one takes one. */
type Turn = Step | { readonly do: 'wait' };

/** The steps of a plan as the model's turns. */
export function turnsOf(plan: Plan): readonly Turn[] {
  return plan.steps.flatMap((step): Turn[] => (step.do === 'subtasks' ? [step, { do: 'wait' }] : [step]));
}

function follow(plan: Plan, turn: AgentTurn, effectsFile: string): Reply {
  const turns = turnsOf(plan);
  const at = turnsDone(turn);
  const next = turns.at(-1)?.do === 'circles' ? (turns[at] ?? { do: 'circles' as const }) : turns[at];
  // An answer that was cut and kept is asked to go on: that is a new turn of the same step, and goes well.
  const fault = turn.turnIndex === at ? plan.faults?.[at] : undefined;
  const common = { delayMs: plan.thinkMs, fault };
  const toolCalls = next === undefined ? [] : callsOf(next, plan, at, turn, effectsFile);
  if (toolCalls.length > 0) return { ...common, text: `Step ${at} of ${plan.key}.`, toolCalls };
  return { ...common, text: `${resultOf(plan)} ${heard(turn)}${padding(plan.chars ?? 0)}` };
}

/** Something that says nothing twice: an agent that repeats itself is stopped. */
function padding(chars: number): string {
  return Array.from({ length: chars }, (_, at) => ` ${at}`)
    .join('')
    .slice(0, chars);
}

/** What people have marked in their words, as far as the model was told. */
function heard({ allToolResults }: AgentTurn): string {
  return allToolResults.flatMap(({ text }) => text.match(/«[^»]*»/g) ?? []).join(' ');
}

/** Answers with calls, not answers: one that was cut before its calls is given again. */
function turnsDone({ messages }: AgentTurn): number {
  return messages.filter(
    ({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' && content.some(({ type }) => type === 'tool_use'),
  ).length;
}

function callsOf(step: Turn, plan: Plan, at: number, turn: AgentTurn, effectsFile: string): ToolCall[] {
  const file = `${plan.key.replaceAll('/', '_')}-${at}.txt`;
  if (asks(step)) return callsThatAsk(step, plan.key, at, effectsFile);
  switch (step.do) {
    case 'write':
      return [{ name: 'write_file', input: { path: file, content: `${plan.key} was here at ${at}\n` } }];
    case 'read':
      return [
        { name: 'search_files', input: { pattern: `${plan.key} was here at ${at}` } },
        { name: 'list_files', input: { path: '.', limit: 10 + at } },
      ];
    case 'todo':
      return [
        { name: 'update_todos', input: { todos: [{ text: `${plan.key} ${at}`, status: 'in_progress' }] } },
      ];
    case 'effect': {
      const command = `sleep ${step.seconds ?? 0.1}; echo '${tokenOf(plan.key, at)}' >> '${effectsFile}'`;
      return [{ name: 'run_command', input: { command } }];
    }
    case 'command': {
      const { command, timeoutMs } = step;
      return [{ name: 'run_command', input: { command, ...(timeoutMs !== undefined && { timeoutMs }) } }];
    }
    case 'subtasks':
      return step.plans.map((child) => ({
        name: 'spawn_subtask',
        input: { agent: 'general', prompt: promptOf(child), title: child.key },
      }));
    case 'wait': {
      const taskIds = spawned(turn);
      return taskIds.length === 0 ? [] : [{ name: 'wait_for_subtasks', input: { taskIds } }];
    }
    case 'calls':
      return [...step.calls];
    case 'circles':
      return [{ name: 'list_files', input: { path: '.' } }];
  }
}

function spawned({ lastToolResults, allToolResults }: AgentTurn): string[] {
  const results = lastToolResults.length > 0 ? lastToolResults : allToolResults;
  return results.flatMap(({ name, text }) => {
    const id = name === 'spawn_subtask' ? /"taskId":"([^"]+)"/.exec(text)?.[1] : undefined;
    return id === undefined ? [] : [id];
  });
}
