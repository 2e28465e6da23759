/** present_plan: the way out of planning. A person accepts the plan, edits it, or sends it back with remarks. */
import type { AgentDefinition, PlanAnswer } from '@bullpen/contracts';
import { z } from 'zod';
import { situationText } from '../conversation/prompts.js';
import type { Tool, ToolOutcome } from '../ports/tool.js';
import { PRESENT_PLAN } from '../task/autonomy.js';
import { preview } from '../task/text.js';
import { defineTool, failure, success } from './define-tool.js';

const input = z.strictObject({
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
    .describe('The steps, with one outcome each that can be checked; they become your to-do list.'),
});

export function presentPlan(): Tool {
  return defineTool({
    name: PRESENT_PLAN,
    description:
      'Presents your plan to the user, who accepts it, edits it or sends it back with remarks. Present it when nobody who carries it out would have to decide anything: ' +
      'the goal, what changes in which files, what stays out, what you assume, what could go wrong, and the command that shows that it worked; a small change needs only the change and its check. ' +
      'Call no other tool with it.',
    group: 'completion',
    resume: 'repeat',
    input,
    asks: ({ plan, steps }) => ({
      kind: 'plan',
      title: preview(plan.split('\n', 1)[0] ?? 'A plan', 200),
      payload: { plan, steps },
    }),
    run: (_, { task, answer }) => planResult(task.definition, (answer ?? null) as PlanAnswer | null),
  });
}

function planResult(definition: AgentDefinition, answer: PlanAnswer | null): ToolOutcome {
  if (answer === null) return failure('There is nobody to accept a plan.');
  if (answer.decision === 'revise')
    return success(
      `The user has not accepted the plan yet. Revise it and present it again. Remarks: ${answer.remarks}`,
    );
  const edited = answer.plan ?? (answer.steps ? `- ${answer.steps.join('\n- ')}` : undefined);
  const parts = [
    `The user accepted the plan. Your autonomy is now ${answer.autonomy}, and your to-do list holds the steps. Carry out the plan.`,
    situationText({ definition, autonomy: answer.autonomy }),
    ...(edited === undefined
      ? []
      : [`The user changed it before accepting; follow this version:\n${edited}`]),
    ...(answer.remarks === undefined ? [] : [`Remarks: ${answer.remarks}`]),
  ];
  return success(parts.join('\n'));
}
