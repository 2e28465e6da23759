/** How full the window of a task's model is. */
import { z } from 'zod';

/** A gauge: the parts of what the model is sent, and what there is room for. All figures are tokens. */
export const ContextSize = z
  .object({
    system: z.int().describe('The system prompt; always an estimate, as are the tools.'),
    tools: z.int(),
    messages: z.int(),
    tokens: z.int().describe('All of them together.'),
    window: z.int().describe('What prompt and answer may have together.'),
    reservedOutput: z.int(),
    budget: z.int().describe('What the prompt may have: the window without the reserved output.'),
    threshold: z.int().describe('From here on the conversation is made smaller.'),
    share: z.number().describe('Of the budget; 1 is full.'),
    isEstimate: z.boolean().describe('Part of `tokens` is no figure of the provider.'),
  })
  .meta({ id: 'ContextSize' });
export type ContextSize = z.infer<typeof ContextSize>;
