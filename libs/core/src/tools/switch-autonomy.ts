/** switch_autonomy: the agent changes how freely it works for the rest of the task. */
import { AUTONOMIES, Autonomy } from '@bullpen/contracts';
import { z } from 'zod';
import { situationText } from '../conversation/prompts.js';
import type { Tool } from '../ports/tool.js';
import { defineTool, success } from './define-tool.js';

const input = z.strictObject({
  autonomy: Autonomy.describe(
    Autonomy.options.map((name) => `${name}: ${AUTONOMIES[name].meaning}`).join('; '),
  ),
  reason: z.string().trim().min(1).max(1_000).describe('Why; the user sees it.'),
});

export function switchAutonomy(): Tool {
  return defineTool({
    name: 'switch_autonomy',
    description:
      'Switches your autonomy for the rest of the task, for example to plan before a large change. Switching approves no calls.',
    group: 'mode',
    resume: 'repeat',
    asides: ['reason'],
    input,
    run: ({ autonomy }, { task }) => {
      if (autonomy === task.autonomy) return success(`Your autonomy is already ${autonomy}.`);
      const now = situationText({ definition: task.definition, autonomy });
      return { kind: 'switch', autonomy, output: `Your autonomy is now ${autonomy}. ${now}` };
    },
  });
}
