/** The tools that people answer (questions and plans), and the switch of autonomy. */
import {
  Autonomy,
  type AgentDefinition,
  QuestionOption,
  type Json,
  type PlanAnswer,
  type PlanPayload,
  type QuestionAnswer,
  type TodoItem,
} from '@bullpen/contracts';
import { z } from 'zod';
import { parseWith, schemaOf } from '../task/arguments.js';
import { ASK_USER, AUTONOMIES, PRESENT_PLAN } from '../task/autonomy.js';
import { NOBODY_TO_ASK, situationText } from '../conversation/prompts.js';
import type { TaskRecord } from '../task/task.js';
import { preview } from '../task/text.js';
import type { Tool, ToolOutcome } from '../ports/tool.js';

export const SWITCH_AUTONOMY = 'switch_autonomy';

/** Names of the tools that `peopleTools` gives. */
export const PEOPLE_TOOL_NAMES = [ASK_USER, SWITCH_AUTONOMY, PRESENT_PLAN] as const;

export function peopleTools(task: () => TaskRecord): readonly Tool[] {
  return [askUser(), switchAutonomy(task), presentPlan(task)];
}

const AskInput = z
  .strictObject({
    question: z
      .string()
      .trim()
      .min(1)
      .max(5_000)
      .describe('One question, with what the user needs to know to answer it.'),
    header: z.string().trim().min(1).max(40).optional().describe('What it is about, in a word or two.'),
    options: z
      .array(QuestionOption)
      .min(2)
      .max(10)
      .optional()
      .describe('Two to four answers to choose from, with the one you recommend first.'),
    multiple: z.boolean().default(false).describe('The user may choose several options.'),
    freeText: z.boolean().default(true).describe('The user may answer in their own words instead.'),
  })
  .refine(({ options, freeText }) => freeText || options !== undefined, {
    path: ['options'],
    message: 'are needed when freeText is false',
  })
  .refine(({ options }) => new Set(options?.map(({ label }) => label)).size === (options?.length ?? 0), {
    path: ['options'],
    message: 'must have different labels',
  });
const ASK_SCHEMA = schemaOf(AskInput);

function askUser(): Tool {
  return {
    name: ASK_USER,
    description:
      'Asks the user a question and waits for the answer, however long that takes. Ask when the task can be understood in ways that would change the work, ' +
      'and look things up first where you can. Do not ask whether you may make a call: making it asks for approval automatically, ' +
      'and the answer to a question approves nothing.',
    group: 'question',
    inputSchema: ASK_SCHEMA,
    resume: 'repeat',
    parse: (input) => parseWith(AskInput as unknown as z.ZodType<Json>, input),
    asks: (args) => {
      const { question, header, options = [], multiple, freeText } = args as z.infer<typeof AskInput>;
      const payload = { question, options, multiple, freeText, ...(header === undefined ? {} : { header }) };
      return { kind: 'question', title: preview(question, 200), payload: payload as Record<string, Json> };
    },
    run: (_, { answer }) => Promise.resolve(answerResult((answer ?? null) as QuestionAnswer | null)),
  };
}

function answerResult(answer: QuestionAnswer | null): ToolOutcome {
  if (answer === null) return { kind: 'result', output: NOBODY_TO_ASK };
  if (answer.cancel)
    return {
      kind: 'result',
      output: 'The user did not answer this question. Decide yourself, and state your assumption.',
    };
  const { choices, text } = answer;
  const parts = [
    ...(choices === undefined || choices.length === 0 ? [] : [`The user chose: ${choices.join('; ')}`]),
    ...(text === undefined ? [] : [`The user answered: ${text}`]),
  ];
  return { kind: 'result', output: parts.join('\n') };
}

const PlanInput = z.strictObject({
  plan: z
    .string()
    .trim()
    .min(1)
    .max(100_000)
    .describe('The plan in Markdown: what changes, where, in what order, and how it is checked.'),
  steps: z
    .array(z.string().trim().min(1).max(1_000))
    .min(1)
    .max(200)
    .describe('The steps; they become your to-do list.'),
});
const PLAN_SCHEMA = schemaOf(PlanInput);

function presentPlan(task: () => TaskRecord): Tool {
  return {
    name: PRESENT_PLAN,
    description:
      'Presents your plan to the user, who accepts it, edits it or sends it back with remarks. Call no other tool with it.',
    group: 'completion',
    inputSchema: PLAN_SCHEMA,
    resume: 'repeat',
    parse: (input) => parseWith(PlanInput as z.ZodType<Json>, input),
    asks: (args) => {
      const { plan, steps } = args as z.infer<typeof PlanInput>;
      return {
        kind: 'plan',
        title: preview(plan.split('\n', 1)[0] ?? 'A plan', 200),
        payload: { plan, steps },
      };
    },
    run: (_, { answer }) =>
      Promise.resolve(planResult(task().definition, (answer ?? null) as PlanAnswer | null)),
  };
}

function planResult(definition: AgentDefinition, answer: PlanAnswer | null): ToolOutcome {
  if (answer === null) return { kind: 'result', output: 'There is nobody to accept a plan.', isError: true };
  if (answer.decision === 'revise')
    return {
      kind: 'result',
      output: `The user has not accepted the plan yet. Revise it and present it again. Remarks: ${answer.remarks}`,
    };
  const edited = answer.plan ?? (answer.steps ? `- ${answer.steps.join('\n- ')}` : undefined);
  const parts = [
    `The user accepted the plan. Your autonomy is now ${answer.autonomy}, and your to-do list holds the steps. Carry out the plan.`,
    situationText({ definition, autonomy: answer.autonomy }),
    ...(edited === undefined
      ? []
      : [`The user changed it before accepting; follow this version:\n${edited}`]),
    ...(answer.remarks === undefined ? [] : [`Remarks: ${answer.remarks}`]),
  ];
  return { kind: 'result', output: parts.join('\n') };
}

/** The to-do list of an accepted plan. */
export function planTodos(answer: PlanAnswer, { steps }: Pick<PlanPayload, 'steps'>): TodoItem[] {
  const own = answer.decision === 'accept' ? answer.steps : undefined;
  return (own ?? steps).map((text) => ({ text, status: 'pending' }));
}

const SwitchInput = z.strictObject({
  autonomy: Autonomy.describe(
    Autonomy.options.map((name) => `${name}: ${AUTONOMIES[name].meaning}`).join('; '),
  ),
  reason: z.string().trim().min(1).max(1_000),
});
const SWITCH_SCHEMA = schemaOf(SwitchInput);

function switchAutonomy(task: () => TaskRecord): Tool {
  return {
    name: SWITCH_AUTONOMY,
    description:
      'Switches your autonomy for the rest of the task, for example to plan before a large change. Switching approves no calls.',
    group: 'mode',
    inputSchema: SWITCH_SCHEMA,
    resume: 'repeat',
    parse: (input) => parseWith(SwitchInput as z.ZodType<Json>, input),
    run: (args) => {
      const { autonomy } = args as z.infer<typeof SwitchInput>;
      const { definition } = task();
      if (autonomy === task().autonomy)
        return Promise.resolve({ kind: 'result', output: `Your autonomy is already ${autonomy}.` });
      return Promise.resolve({
        kind: 'switch',
        autonomy,
        output: `Your autonomy is now ${autonomy}. ${situationText({ definition, autonomy })}`,
      });
    },
  };
}
