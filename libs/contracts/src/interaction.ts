/** Interactions: what waits for a person, and how it is answered. */
import { z } from 'zod';
import { Autonomy, PLAN_AUTONOMIES } from './autonomy.js';
import { InteractionId, TaskId } from './ids.js';
import { Json, Usd } from './json.js';
import { nanoUsdOf } from './money.js';
import { CommandPartView, PolicyLayer, PolicyScope } from './policy.js';

/**
 * `approval`: may this call run; `question`: the agent wants to know something; `plan`: is this plan accepted; `budget`: the tree's
 * money is used up; `mistakes`: the agent is stuck.
 */
export const InteractionKind = z.enum(['approval', 'question', 'plan', 'budget', 'mistakes']);
export type InteractionKind = z.infer<typeof InteractionKind>;

/** `withdrawn`: what it was about is over (cancelled, interrupted, changed) and no answer is needed any more. */
export const InteractionState = z.enum(['pending', 'answered', 'expired', 'withdrawn']);
export type InteractionState = z.infer<typeof InteractionState>;

const TouchedFile = z.object({
  path: z.string(),
  access: z.enum(['read', 'write']),
  place: z.enum(['inside', 'protected', 'hidden', 'outside']),
});

/** A call that needs approval: exactly what would run, and why it is asked. */
export const ApprovalPayload = z.object({
  tool: z.string(),
  arguments: Json,
  reason: z.string(),
  rule: z.string(),
  code: z.string().optional(),
  part: z.string().optional().describe('The part of the arguments that the reason is about.'),
  command: z.string().optional(),
  parts: z
    .array(CommandPartView)
    .optional()
    .describe('The simple commands of the line, each with its verdict.'),
  paths: z.array(TouchedFile).optional(),
  diff: z.string().optional().describe('What would change, as a unified diff.'),
  remember: z
    .object({ sentence: z.string(), patch: PolicyLayer })
    .optional()
    .describe('What "approve and remember" would add to a layer; absent when no rule could let this pass.'),
});
export type ApprovalPayload = z.infer<typeof ApprovalPayload>;

export const QuestionOption = z.strictObject({
  label: z.string().min(1).max(200),
  description: z.string().max(1_000).optional(),
});
export type QuestionOption = z.infer<typeof QuestionOption>;

export const QuestionPayload = z.object({
  question: z.string(),
  header: z.string().optional(),
  options: z.array(QuestionOption).describe('Empty: free text only.'),
  multiple: z.boolean().describe('Several options may be chosen.'),
  freeText: z.boolean().describe('The person may also answer in their own words.'),
});
export type QuestionPayload = z.infer<typeof QuestionPayload>;

export const PlanPayload = z.object({
  version: z.int().min(1),
  plan: z.string().describe('Markdown.'),
  steps: z.array(z.string()).describe('Becomes the to-do list.'),
});
export type PlanPayload = z.infer<typeof PlanPayload>;

export const BudgetPayload = z.object({
  turn: z.int(),
  limitUsd: z.string(),
  spentUsd: z.string(),
  neededUsd: z.string().describe('What the next model call may cost at most.'),
});
export type BudgetPayload = z.infer<typeof BudgetPayload>;

const NANO_PER_CENT = 10_000_000n;

/** The smallest limit with which it goes on, in dollars: whole cents, rounded up. */
export function leastLimit({ spentUsd, neededUsd }: BudgetPayload): string {
  const cents = (nanoUsdOf(spentUsd) + nanoUsdOf(neededUsd) + NANO_PER_CENT - 1n) / NANO_PER_CENT;
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
}

export const MistakesPayload = z.object({
  turn: z.int(),
  mistakes: z.int(),
  message: z.string(),
  cause: z
    .literal('context')
    .optional()
    .describe('It is not the agent that is stuck: the provider refuses the conversation as too long.'),
});
export type MistakesPayload = z.infer<typeof MistakesPayload>;

/** The schema of what is asked, for each kind. */
export const PAYLOAD_OF = {
  approval: ApprovalPayload,
  question: QuestionPayload,
  plan: PlanPayload,
  budget: BudgetPayload,
  mistakes: MistakesPayload,
} as const satisfies Record<InteractionKind, z.ZodType>;

export type InteractionPayload =
  ApprovalPayload | QuestionPayload | PlanPayload | BudgetPayload | MistakesPayload;

const text = (max: number) => z.string().trim().min(1).max(max);

/** Answer to an approval. Edited arguments run instead of those that were asked for; remarks reach the model either way. */
export const ApprovalAnswer = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  arguments: Json.optional().describe('Run with these arguments instead.'),
  remarks: text(10_000).optional(),
  remember: PolicyScope.optional().describe(
    'Also add a rule to this layer, so that similar requests are approved without asking.',
  ),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** Answer to a question: labels of options, the person's own words, or both; or none at all (`cancel`). */
export const QuestionAnswer = z
  .strictObject({
    choices: z.array(z.string()).max(10).optional(),
    text: text(20_000).optional(),
    cancel: z.literal(true).optional().describe('The user does not want to answer.'),
  })
  .refine(
    ({ choices, text: words, cancel }) =>
      cancel === true
        ? choices === undefined && words === undefined
        : (choices?.length ?? 0) > 0 || words !== undefined,
    { message: 'give choices or text, or only cancel' },
  );
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** Answer to a plan. An edited plan is a version of the user's own, and accepted as such. */
export const PlanAnswer = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('accept'),
    autonomy: z.enum(PLAN_AUTONOMIES).default('agent').describe('How the task goes on.'),
    plan: text(100_000).optional(),
    steps: z.array(text(1_000)).max(200).optional(),
    remarks: text(10_000).optional(),
  }),
  z.strictObject({ decision: z.literal('revise'), remarks: text(10_000) }),
]);
export type PlanAnswer = z.infer<typeof PlanAnswer>;

/** Answer to a used-up budget: a higher limit, or a last answer with what there is. */
export const BudgetAnswer = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('raise'), limitUsd: Usd }),
  z.strictObject({ decision: z.literal('stop') }),
]);
export type BudgetAnswer = z.infer<typeof BudgetAnswer>;

/** Answer to an agent that is stuck: how to go on, or that it should end. */
export const MistakesAnswer = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('continue'), guidance: text(20_000).optional() }),
  z.strictObject({ decision: z.literal('stop') }),
]);
export type MistakesAnswer = z.infer<typeof MistakesAnswer>;

/** The schema of the answer to each kind. */
export const ANSWER_OF = {
  approval: ApprovalAnswer,
  question: QuestionAnswer,
  plan: PlanAnswer,
  budget: BudgetAnswer,
  mistakes: MistakesAnswer,
} as const satisfies Record<InteractionKind, z.ZodType>;

export type InteractionAnswer = ApprovalAnswer | QuestionAnswer | PlanAnswer | BudgetAnswer | MistakesAnswer;

/**
 * Body of `POST /v1/interactions/{id}/answer`. `answer` has the shape that belongs to the interaction's kind. With `hash` the answer only counts while
 * the interaction still asks for exactly what the answerer saw.
 */
export const AnswerInteraction = z
  .strictObject({
    answer: z
      .record(z.string(), Json, {
        error: 'give your answer here as an object, as in {"answer": {"decision": "approve"}}',
      })
      .meta({
        examples: [
          { decision: 'approve' },
          { decision: 'deny', remarks: 'Not on a Friday.' },
          { choices: ['Postgres'] },
        ],
      }),
    hash: z.string().optional(),
  })
  .meta({ id: 'AnswerInteraction' });
export type AnswerInteraction = z.infer<typeof AnswerInteraction>;

/** One interaction as the API shows it; the payload's shape belongs to the kind. */
export const InteractionView = z
  .object({
    id: InteractionId,
    kind: InteractionKind,
    state: InteractionState,
    title: z.string().describe('What it is about, in one line.'),
    taskId: TaskId,
    rootId: TaskId,
    taskTitle: z.string(),
    agent: z.string(),
    callId: z.string().nullable(),
    payload: z.record(z.string(), Json),
    hash: z.string().describe('SHA-256 of what is asked: tool, final arguments, paths and task.'),
    answer: z.record(z.string(), Json).nullable(),
    answeredBy: z.string().nullable(),
    answeredAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Interaction' });
export type InteractionView = z.infer<typeof InteractionView>;

export const InteractionPage = z
  .object({ data: z.array(InteractionView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'InteractionPage' });
export type InteractionPage = z.infer<typeof InteractionPage>;

/** Query of `GET /v1/interactions`. */
export const ListInteractions = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    after: z.string().max(200).optional(),
    state: InteractionState.default('pending'),
    kind: InteractionKind.optional(),
    taskId: TaskId.optional(),
    rootId: TaskId.optional(),
  })
  .meta({ id: 'ListInteractions' });
export type ListInteractions = z.infer<typeof ListInteractions>;

/** Body of `POST /v1/interactions/answers`: one answer for many; interactions that it does not fit are left as they are. */
export const BulkAnswer = z
  .strictObject({
    ids: z.array(InteractionId).min(1).max(200),
    answer: z.record(z.string(), Json),
  })
  .meta({ id: 'BulkAnswer' });
export type BulkAnswer = z.infer<typeof BulkAnswer>;

export const BulkAnswerResult = z
  .object({
    answered: z.array(InteractionId),
    failed: z.array(z.object({ id: InteractionId, code: z.string(), detail: z.string() })),
  })
  .meta({ id: 'BulkAnswerResult' });
export type BulkAnswerResult = z.infer<typeof BulkAnswerResult>;

/** Body of `POST /v1/tasks/{id}/autonomy`. */
export const SwitchAutonomy = z.strictObject({ autonomy: Autonomy }).meta({ id: 'SwitchAutonomy' });
export type SwitchAutonomy = z.infer<typeof SwitchAutonomy>;
