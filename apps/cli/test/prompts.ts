/** Every prompt that an interaction can bring, with how one gets there. */
import type { InteractionView } from '@bullpen/contracts';
import { anInteraction } from './an-interaction.js';

export interface PromptCase {
  readonly name: string;
  readonly view: InteractionView;
  /** At each prompt before it: so often up, then Enter. */
  readonly way: readonly number[];
}

export const COMMAND = anInteraction('approval', {
  tool: 'run_command',
  arguments: { command: 'npm test' },
  reason: 'It runs a program.',
  rule: 'r',
});
export const FILE = anInteraction('approval', {
  tool: 'write_file',
  arguments: { path: 'a.txt', content: 'b' },
  reason: 'It changes a file.',
  rule: 'r',
});
export const PLAN = anInteraction('plan', { version: 1, plan: 'Do it', steps: ['Look'] });
export const BUDGET = anInteraction('budget', {
  turn: 1,
  limitUsd: '1.00',
  spentUsd: '0.9',
  neededUsd: '0.5',
});
export const MISTAKES = anInteraction('mistakes', { turn: 1, mistakes: 6, message: '6 calls failed.' });

/** Options that read like ordinary answers. */
export function aQuestion(fields: object = {}): InteractionView {
  const options = [{ label: 'just go' }, { label: 'yes' }, { label: 'ja' }];
  return anInteraction('question', { question: 'Q?', options, multiple: false, freeText: true, ...fields });
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
