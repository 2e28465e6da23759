/** Asks a person at the terminal for the answer to one interaction. What was asked is on the screen already. */
import {
  assertNever,
  AUTONOMIES,
  leastLimit,
  PLAN_AUTONOMIES,
  type ApprovalPayload,
  type BudgetPayload,
  type InteractionAnswer,
  type InteractionView,
  type PlanPayload,
  type QuestionPayload,
} from '@bullpen/contracts';

import { askApproval } from './ask-approval.js';
import { LATER, type AskTools } from './ask-tools.js';
import { stepsOf } from './flag-answers.js';
import type { Choice, Prompts } from './prompts.js';

/** Null: not now. Throws what prompts throw. */
export function askInPlace(
  view: InteractionView,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  // The gateway checked the payload against the kind when it was stored.
  const payload = view.payload as unknown;
  switch (view.kind) {
    case 'approval':
      return askApproval(payload as ApprovalPayload, tools, signal);
    case 'question':
      return askQuestion(payload as QuestionPayload, tools.prompts, signal);
    case 'plan':
      return askPlan(payload as PlanPayload, tools, signal);
    case 'budget':
      return askBudget(payload as BudgetPayload, tools.prompts, signal);
    case 'mistakes':
      return askMistakes(tools.prompts, signal);
    default:
      return assertNever(view.kind);
  }
}

async function askQuestion(
  payload: QuestionPayload,
  prompts: Prompts,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const words = payload.freeText ? ANSWER : null;
  const choices = questionChoices(payload);
  for (;;) {
    const given = await prompts.choose({ message: 'Your answer', choices, words }, signal);
    if (given === null || given.choice === 'later') return null;
    if (given.choice === 'cancel') return { cancel: true };
    const marked = given.marked.map((value) => labelOf(payload, value));
    const chosen = marked.length === 0 ? {} : { choices: marked };
    if (given.choice === null) return { text: given.words, ...chosen };
    if (given.choice === 'several') return chosen;
    if (given.choice !== 'text') return { choices: [labelOf(payload, given.choice)] };
    const text = await prompts.write('In your own words', ANSWER, signal);
    if (text !== null) return { text, ...chosen };
  }
}

const ANSWER = { send: 'Send this as your answer' } as const;

/** Values of options must not be confused with those of the other choices, whatever their labels are. */
const OPTION = 'option:';

function labelOf({ options }: QuestionPayload, value: string): string {
  return options[Number(value.slice(OPTION.length))]?.label ?? '';
}

function questionChoices({ options, multiple, freeText }: QuestionPayload): Choice[] {
  const listed = options.map(({ label, description }, index) => ({
    ...choiceOf(`${OPTION}${index}`, label, description),
    markable: multiple,
  }));
  return [
    ...listed,
    ...(multiple && options.length > 0 ? [SEVERAL] : []),
    ...(freeText ? [{ value: 'text', label: 'Answer in your own words …' }] : []),
    { value: 'cancel', label: 'Do not answer', hint: 'the agent decides on its own' },
    LATER,
  ];
}

const SEVERAL = {
  value: 'several',
  label: 'Send what is marked',
  needsMark: 'Mark one or more with Enter first.',
};

async function askPlan(
  payload: PlanPayload,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const choices = [
    ...PLAN_AUTONOMIES.map((value) => ({ value, ...(AUTONOMIES[value].acceptance ?? { label: value }) })),
    { value: 'edit', label: 'Edit, then accept …' },
    { value: 'revise', label: 'Send back with remarks …' },
    LATER,
  ] as const;
  let own: string | null = null;
  for (;;) {
    const given = await tools.prompts.choose(
      { message: 'Is this the plan?', choices, words: REVISE },
      signal,
    );
    if (given === null || given.choice === 'later') return null;
    if (given.choice === null) return { decision: 'revise', remarks: given.words };
    if (given.choice === 'edit') {
      own = (await tools.edit(planText(own, payload), '.md')) ?? own;
      if (own === null) continue;
      tools.show(own);
      tools.warn('Your version is ready: accept it, or edit it again.');
    } else if (given.choice === 'revise') {
      const remarks = await tools.prompts.write('What should change?', REVISE, signal);
      if (remarks !== null) return { decision: 'revise', remarks };
    } else
      return {
        decision: 'accept',
        autonomy: given.choice,
        ...(own === null ? {} : { plan: own.trim(), ...stepsOf(own) }),
      };
  }
}

const REVISE = { send: 'Send it back with these remarks' } as const;

/** The plan as a person edits it; its list items become the steps. */
function planText(own: string | null, { plan, steps }: PlanPayload): string {
  return (
    own ?? `${plan.trim()}\n\n## Steps\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`
  );
}

async function askBudget(
  payload: BudgetPayload,
  prompts: Prompts,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'raise', label: 'Raise the limit …' },
    { value: 'stop', label: 'Stop', hint: 'the task ends with what it has so far' },
    LATER,
  ] as const;
  for (;;) {
    const given = await prompts.choose({ message: 'How should it go on?', choices, words: null }, signal);
    if (given?.choice === 'stop') return { decision: 'stop' };
    if (given?.choice !== 'raise') return null;
    const limit = await askLimit(leastLimit(payload), prompts, signal);
    if (limit !== null) return { decision: 'raise', limitUsd: bare(limit) };
  }
}

function askLimit(least: string, prompts: Prompts, signal: AbortSignal): Promise<string | null> {
  const check = (value: string): string | undefined => {
    if (!USD.test(value)) return 'US dollars as a decimal number, like 10.00';
    return Number(bare(value)) < Number(least) ? `That is too little: ${least} or more.` : undefined;
  };
  const message = `New limit for the whole tree in dollars (${least} or more)`;
  return prompts.write(message, { send: 'Raise the limit to this', check }, signal);
}

const USD = /^\$?\d{1,9}(\.\d{1,9})?$/;

function bare(amount: string): string {
  return amount.trim().replace(/^\$/, '');
}

async function askMistakes(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'guidance', label: 'Give advice …' },
    { value: 'continue', label: 'Let it try again' },
    { value: 'stop', label: 'Stop', hint: 'the task ends as failed' },
    LATER,
  ] as const;
  for (;;) {
    const given = await prompts.choose({ message: 'How should it go on?', choices, words: ADVICE }, signal);
    if (given === null || given.choice === 'later') return null;
    if (given.choice === null) return { decision: 'continue', guidance: given.words };
    if (given.choice === 'stop' || given.choice === 'continue') return { decision: given.choice };
    const guidance = await prompts.write('Your advice', ADVICE, signal);
    if (guidance !== null) return { decision: 'continue', guidance };
  }
}

const ADVICE = { send: 'Send this advice; it tries again' } as const;

function choiceOf(value: string, label: string, hint: string | undefined): Choice {
  return hint === undefined ? { value, label } : { value, label, hint };
}
