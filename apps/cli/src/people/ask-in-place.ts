/** Asks a person at the terminal for the answer to one interaction. What was asked is on the screen already. */
import {
  assertNever,
  type ApprovalPayload,
  type BudgetPayload,
  type InteractionAnswer,
  type InteractionView,
  type Json,
  type PlanPayload,
  type PolicyScope,
  type QuestionPayload,
} from '@bullpen/contracts';
import { stepsOf } from './flag-answers.js';
import type { Choice, Prompts } from './prompts.js';

export interface AskTools {
  readonly prompts: Prompts;
  /** Opens the text in the user's editor; null when it was left as it was or could not be edited. */
  edit(text: string, ending: string): Promise<string | null>;
  /** Says why an edit is not taken. */
  warn(text: string): void;
}

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

/** The neutral choice comes last, where the cursor stands: Enter alone consents to nothing. */
const LATER = { value: 'later', label: 'Later', hint: 'leave it open' } as const;

async function askApproval(
  payload: ApprovalPayload,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const { prompts } = tools;
  const choices = [
    { value: 'approve', label: 'Approve', hint: 'this once' },
    { value: 'remember', label: 'Approve and remember …' },
    { value: 'edit', label: 'Edit, then approve …' },
    { value: 'deny', label: 'Deny', hint: 'the agent goes on without it' },
    { value: 'remark', label: 'Deny with a remark …' },
    LATER,
  ] as const;
  for (;;) {
    const choice = await prompts.select('May it run?', choices, signal);
    if (choice === 'approve') return { decision: 'approve' };
    if (choice === 'deny') return { decision: 'deny' };
    if (choice === 'later' || choice === null) return null;
    const answer =
      choice === 'remember'
        ? await askScope(prompts, signal)
        : choice === 'edit'
          ? await askArguments(payload, tools, signal)
          : await askRemark(prompts, signal);
    // Gone back: the same question again.
    if (answer !== null) return answer;
  }
}

async function askScope(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const choices: Choice<PolicyScope | 'back'>[] = [
    { value: 'task', label: 'In this task' },
    { value: 'project', label: 'In this project', hint: 'every task on the same folder' },
    { value: 'installation', label: 'Everywhere' },
    { value: 'back', label: 'Back' },
  ];
  const remember = await prompts.select('Where is the like not asked again?', choices, signal);
  return remember === null || remember === 'back' ? null : { decision: 'approve', remember };
}

async function askRemark(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const remarks = await prompts.text('What is the agent to know?', {}, signal);
  return remarks === null ? null : { decision: 'deny', remarks: remarks.trim() };
}

/** A command is edited on the line; anything else as JSON in the editor. */
async function askArguments(
  payload: ApprovalPayload,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const args = payload.arguments;
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
  const { command } = fields;
  if (typeof command === 'string' && !command.includes('\n')) {
    const edited = await tools.prompts.text('Run instead', { initial: command }, signal);
    return edited === null ? null : { decision: 'approve', arguments: { ...fields, command: edited } };
  }
  const text = await tools.edit(`${JSON.stringify(args, null, 2)}\n`, '.json');
  if (text === null) return null;
  try {
    return { decision: 'approve', arguments: JSON.parse(text) as Json };
  } catch (error) {
    tools.warn(`That is not JSON, so nothing was sent: ${String(error)}`);
    return null;
  }
}

async function askQuestion(
  payload: QuestionPayload,
  prompts: Prompts,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const { options, multiple, freeText } = payload;
  for (;;) {
    const how = await prompts.select('Your answer', questionChoices(payload), signal);
    if (how === 'later' || how === null) return null;
    if (how === 'cancel') return { cancel: true };
    if (how === 'text') {
      const text = await prompts.text('In your own words', {}, signal);
      if (text !== null) return { text: text.trim() };
    } else if (how === 'several') {
      const choices = options.map(({ label, description }) => choiceOf(label, label, description));
      const chosen = await prompts.multiselect('Choose with space, Enter sends', choices, signal);
      const text = chosen === null || !freeText ? null : await askMore(prompts, signal);
      if (chosen !== null) return { choices: chosen, ...(text === null ? {} : { text }) };
    } else {
      const option = options[Number(how.slice(OPTION.length))];
      if (option !== undefined && !multiple) return { choices: [option.label] };
    }
  }
}

/** Values of options must not be taken for those of the other choices, whatever their labels are. */
const OPTION = 'option:';

function questionChoices({ options, multiple, freeText }: QuestionPayload): Choice<string>[] {
  const chosen =
    multiple && options.length > 0
      ? [{ value: 'several', label: 'Choose from the options …' }]
      : options.map(({ label, description }, index) => choiceOf(`${OPTION}${index}`, label, description));
  return [
    ...chosen,
    ...(freeText ? [{ value: 'text', label: 'Answer in your own words …' }] : []),
    { value: 'cancel', label: 'Do not answer', hint: 'the agent decides by itself' },
    LATER,
  ];
}

async function askMore(prompts: Prompts, signal: AbortSignal): Promise<string | null> {
  const text = await prompts.text('Anything to add? (Enter: no)', { optional: true }, signal);
  return text?.trim() ? text.trim() : null;
}

async function askPlan(
  payload: PlanPayload,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'agent', label: 'Accept', hint: 'it goes on and asks you where needed' },
    { value: 'background', label: 'Accept, work alone', hint: 'what would be asked is refused' },
    { value: 'edit', label: 'Edit, then accept …' },
    { value: 'revise', label: 'Send back with remarks …' },
    LATER,
  ] as const;
  let own: string | null = null;
  for (;;) {
    const choice = await tools.prompts.select('Is this the plan?', choices, signal);
    if (choice === 'later' || choice === null) return null;
    if (choice === 'edit') own = (await tools.edit(planText(own, payload), '.md')) ?? own;
    else if (choice === 'revise') {
      const remarks = await tools.prompts.text('What is to change?', {}, signal);
      if (remarks !== null) return { decision: 'revise', remarks: remarks.trim() };
    } else
      return {
        decision: 'accept',
        autonomy: choice,
        ...(own === null ? {} : { plan: own.trim(), ...stepsOf(own) }),
      };
    if (choice === 'edit' && own !== null) tools.warn('Your version is ready: accept it, or edit it again.');
  }
}

/** The plan as a person edits it; its list items become the steps. */
function planText(own: string | null, { plan, steps }: PlanPayload): string {
  return (
    own ?? `${plan.trim()}\n\n## Steps\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`
  );
}

async function askBudget(
  { spentUsd, neededUsd }: BudgetPayload,
  prompts: Prompts,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'raise', label: 'Raise the limit …' },
    { value: 'stop', label: 'Stop', hint: 'the task ends with what there is' },
    LATER,
  ] as const;
  for (;;) {
    const choice = await prompts.select('How does it go on?', choices, signal);
    if (choice === 'stop') return { decision: 'stop' };
    if (choice !== 'raise') return null;
    const options = {
      check: (value: string) => (USD.test(value) ? undefined : 'US dollars as a decimal number, like 10.00'),
    };
    const limit = await prompts.text(
      `New limit in dollars ($${spentUsd} spent, next call $${neededUsd})`,
      options,
      signal,
    );
    if (limit !== null) return { decision: 'raise', limitUsd: limit.trim().replace(/^\$/, '') };
  }
}

const USD = /^\$?\d{1,9}(\.\d{1,9})?$/;

async function askMistakes(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'guidance', label: 'Give advice …' },
    { value: 'continue', label: 'Let it try again' },
    { value: 'stop', label: 'Stop', hint: 'the task ends as failed' },
    LATER,
  ] as const;
  for (;;) {
    const choice = await prompts.select('How does it go on?', choices, signal);
    if (choice === 'stop') return { decision: 'stop' };
    if (choice === 'continue') return { decision: 'continue' };
    if (choice !== 'guidance') return null;
    const guidance = await prompts.text('Your advice', {}, signal);
    if (guidance !== null) return { decision: 'continue', guidance: guidance.trim() };
  }
}

function choiceOf(value: string, label: string, hint: string | undefined): Choice<string> {
  return hint === undefined ? { value, label } : { value, label, hint };
}
