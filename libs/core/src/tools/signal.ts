/** signal: the agent says that the aim of its work mode is reached, or that something stands in the way. The harness finds the next mode. */
import { z } from 'zod';
import type { Tool } from '../ports/tool.js';
import { SIGNAL } from '../task/autonomy.js';
import { defineTool } from './define-tool.js';

const input = z.strictObject({
  trigger: z.string().trim().min(1).max(40).describe('One of the triggers that your mode lists.'),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .describe('What shows it, in a sentence: the next mode begins with it, and the user reads it.'),
});

/** For tasks that work in modes only. */
export function signal(): Tool {
  return defineTool({
    name: SIGNAL,
    description:
      'Fires a trigger of the work mode that you are in, and so leads to the next one. The newest message that begins with "Mode:" says which mode that is, what to do in it, ' +
      'which tools it has, and which triggers lead out of it. Fire one when what it claims is true, and call no other tool with it.',
    // It says where the work stands, as the end of the task does: nothing that would need approval.
    group: 'completion',
    resume: 'repeat',
    polls: true,
    input,
    run: ({ trigger, reason }) => ({ kind: 'signal', trigger, reason }),
  });
}
