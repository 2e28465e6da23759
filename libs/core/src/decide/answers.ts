/** Whether an answer fits what was asked. Pure: what is refused here was never stored. */
import {
  ANSWER_OF,
  nanoUsdOf,
  type ApprovalAnswer,
  type ApprovalPayload,
  type BudgetPayload,
  type InteractionAnswer,
  type InteractionKind,
  type PlanAnswer,
  type PlanPayload,
  type QuestionAnswer,
  type QuestionPayload,
  type TodoItem,
} from '@bullpen/contracts';

export type CheckedAnswer =
  | { readonly ok: true; readonly answer: InteractionAnswer }
  /** `pointer` is a JSON pointer into the answer. */
  | { readonly ok: false; readonly errors: readonly { readonly pointer: string; readonly detail: string }[] };

/** Checks the shape that belongs to the kind, then the payload's constraints: options, limits. */
export function checkAnswer(kind: InteractionKind, payload: unknown, given: unknown): CheckedAnswer {
  const parsed = ANSWER_OF[kind].safeParse(given);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({
      pointer: path.map((part) => `/${String(part)}`).join(''),
      detail: message,
    }));
    return { ok: false, errors };
  }
  const answer = parsed.data;
  if (kind === 'question') return checkChoices(payload as QuestionPayload, answer as QuestionAnswer);
  if (kind === 'approval') return checkRemember(payload as ApprovalPayload, answer as ApprovalAnswer);
  if (kind === 'budget' && 'limitUsd' in answer && typeof answer.limitUsd === 'string') {
    const { spentUsd, neededUsd } = payload as BudgetPayload;
    const least = nanoUsdOf(spentUsd) + nanoUsdOf(neededUsd);
    if (nanoUsdOf(answer.limitUsd) < least)
      return refused(
        '/limitUsd',
        `must cover what is already spent ($${spentUsd}) plus the next call ($${neededUsd})`,
      );
  }
  return { ok: true, answer };
}

function checkRemember(payload: ApprovalPayload, answer: ApprovalAnswer): CheckedAnswer {
  const { remember, decision, arguments: changed } = answer;
  if (remember === undefined) return { ok: true, answer };
  if (decision === 'deny') return refused('/remember', 'only an approval can be remembered');
  if (changed !== undefined)
    return refused('/remember', 'what was asked can be remembered, but changed arguments cannot');
  return payload.remember
    ? { ok: true, answer }
    : refused('/remember', 'no rule can let this pass without asking; approve it without remembering');
}

function checkChoices(payload: QuestionPayload, answer: QuestionAnswer): CheckedAnswer {
  const { choices = [], text } = answer;
  const labels = payload.options.map(({ label }) => label);
  const unknown = choices.find((choice) => !labels.includes(choice));
  if (unknown !== undefined)
    return refused(
      '/choices',
      labels.length === 0
        ? 'there are no options: answer with text'
        : `"${unknown}" is none of: ${labels.join('; ')}`,
    );
  if (new Set(choices).size < choices.length)
    return refused('/choices', 'each option can be chosen only once');
  if (choices.length > 1 && !payload.multiple) return refused('/choices', 'only one option may be chosen');
  if (text !== undefined && !payload.freeText) return refused('/text', `choose one of: ${labels.join('; ')}`);
  return { ok: true, answer };
}

function refused(pointer: string, detail: string): CheckedAnswer {
  return { ok: false, errors: [{ pointer, detail }] };
}

/** The to-do list of an accepted plan. */
export function planTodos(answer: PlanAnswer, { steps }: Pick<PlanPayload, 'steps'>): TodoItem[] {
  const own = answer.decision === 'accept' ? answer.steps : undefined;
  return (own ?? steps).map((text) => ({ text, status: 'pending' }));
}
