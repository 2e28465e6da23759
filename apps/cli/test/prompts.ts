/** Every prompt that an interaction can bring, with how one gets there. */
import type { InteractionView, Json } from '@bullpen/contracts';
import { ROOT } from './story.js';

export interface PromptCase {
  readonly name: string;
  readonly view: InteractionView;
  /** At each prompt before it: so often up, then Enter. */
  readonly way: readonly number[];
}

function anInteractionOf(kind: InteractionView['kind'], payload: object): InteractionView {
  return {
    id: `ask_${'0'.repeat(20)}abc123`,
    kind,
    state: 'pending',
    title: 'What is asked',
    taskId: ROOT,
    rootId: ROOT,
    taskTitle: 'Explain the build',
    agent: 'general',
    callId: 'call_1',
    payload: payload as Record<string, Json>,
    hash: 'h1',
    answer: null,
    answeredBy: null,
    answeredAt: null,
    expiresAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

export const COMMAND = anInteractionOf('approval', {
  tool: 'run_command',
  arguments: { command: 'npm test' },
  reason: 'It runs a program.',
  rule: 'r',
});
export const FILE = anInteractionOf('approval', {
  tool: 'write_file',
  arguments: { path: 'a.txt', content: 'b' },
  reason: 'It changes a file.',
  rule: 'r',
});
export const PLAN = anInteractionOf('plan', { version: 1, plan: 'Do it', steps: ['Look'] });
export const BUDGET = anInteractionOf('budget', {
  turn: 1,
  limitUsd: '1.00',
  spentUsd: '0.9',
  neededUsd: '0.5',
});
export const MISTAKES = anInteractionOf('mistakes', { turn: 1, mistakes: 6, message: '6 calls failed.' });

/** Options that read like ordinary answers. */
export function aQuestion(fields: object = {}): InteractionView {
  const options = [{ label: 'just go' }, { label: 'yes' }, { label: 'ja' }];
  return anInteractionOf('question', { question: 'Q?', options, multiple: false, freeText: true, ...fields });
}

const at = (name: string, view: InteractionView, ...way: number[]): PromptCase => ({ name, view, way });

export const PROMPTS: readonly PromptCase[] = [
  at('an approval', COMMAND),
  at('where to remember it', COMMAND, 4),
  at('the edited command', COMMAND, 3),
  at('an approval of what was edited', FILE, 3),
  at('a remark', COMMAND, 1),
  at('a question', aQuestion()),
  at('a question without options', aQuestion({ options: [] })),
  at('a question that takes several options', aQuestion({ multiple: true })),
  at('a question that takes nothing but its options', aQuestion({ freeText: false })),
  at('a question that takes several of its options only', aQuestion({ freeText: false, multiple: true })),
  at('an answer in own words', aQuestion(), 2),
  at('a plan', PLAN),
  at('remarks on a plan', PLAN, 1),
  at('a budget', BUDGET),
  at('a new limit', BUDGET, 2),
  at('an agent that is stuck', MISTAKES),
  at('advice', MISTAKES, 3),
];
