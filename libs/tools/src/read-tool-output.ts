/** read_tool_output: ranges of an earlier output that was too long to be shown whole. */
import { plural } from '@bullpen/contracts';
import { z } from 'zod';
import { defineTool, failure, success, type Tool } from '@bullpen/core';
import { wholeChars } from '@bullpen/workspace';
import { continueLine, MAX_PAGE_CHARS, showing } from './pages.js';

const input = z.strictObject({
  callId: z.string().min(1).max(200).describe('Id of the tool call, as given where its output was cut.'),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe('Characters to skip.'),
  limit: z.int().min(2).max(MAX_PAGE_CHARS).default(MAX_PAGE_CHARS).describe('Characters to read.'),
});

export function readToolOutputTool(): Tool {
  return defineTool({
    name: 'read_tool_output',
    description:
      'Reads a range of the full output of an earlier tool call of this task, up to 9,000 characters at a time. ' +
      'Use it when an output says that characters were left out.',
    group: 'read',
    resume: 'repeat',
    input,
    run: async ({ callId, offset, limit }, context) => {
      const output = await context.storedOutput(callId);
      if (output === null)
        return failure(`This task has no stored output for ${callId}; use the id given in the cut output.`);
      if (offset > 0 && offset >= output.length) {
        return failure(
          `The output has only ${plural(output.length, 'character')}; use an offset below ${output.length}.`,
        );
      }
      const part = wholeChars(output.slice(offset), limit);
      const head = `${callId}: ${plural(output.length, 'character')} (${showing(offset, part.length)})`;
      return success(
        [head, part, ...continueLine(['character', 'characters'], output.length, offset + part.length)].join(
          '\n',
        ),
      );
    },
  });
}
