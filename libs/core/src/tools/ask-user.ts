/** ask_user: a question to a person, whose answer is the result. */
import { QuestionOption, type Json, type QuestionAnswer } from '@bullpen/contracts';
import { z } from 'zod';
import { NOBODY_TO_ASK } from '../conversation/prompts.js';
import type { Tool, ToolOutcome } from '../ports/tool.js';
import { ASK_USER } from '../task/autonomy.js';
import { preview } from '../task/text.js';
import { defineTool, success } from './define-tool.js';

const input = z
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

export function askUser(): Tool {
  return defineTool({
    name: ASK_USER,
    description:
      'Asks the user a question and waits for the answer, however long that takes. Ask when the task can be understood in ways that would change the work, ' +
      'and look things up first where you can. Do not ask whether you may make a call: making it asks for approval automatically, ' +
      'and the answer to a question approves nothing.',
    group: 'question',
    resume: 'repeat',
    asides: ['header'],
    input,
    asks: ({ question, header, options = [], multiple, freeText }) => {
      const payload = { question, options, multiple, freeText, ...(header === undefined ? {} : { header }) };
      return { kind: 'question', title: preview(question, 200), payload: payload as Record<string, Json> };
    },
    run: (_, { answer }) => answerResult((answer ?? null) as QuestionAnswer | null),
  });
}

function answerResult(answer: QuestionAnswer | null): ToolOutcome {
  if (answer === null) return success(NOBODY_TO_ASK);
  if (answer.cancel)
    return success('The user did not answer this question. Decide yourself, and state your assumption.');
  const { choices, text } = answer;
  const parts = [
    ...(choices === undefined || choices.length === 0 ? [] : [`The user chose: ${choices.join('; ')}`]),
    ...(text === undefined ? [] : [`The user answered: ${text}`]),
  ];
  return success(parts.join('\n'));
}
