/** complete_task: the agent says how its work ended. Its arguments are the output of the task. */
import { completionSchema, CompletionInput } from '../decide/completion.js';
import type { ValidateJson } from '../ports/loop-deps.js';
import { COMPLETE_TASK } from '../task/autonomy.js';
import { defineTool } from './define-tool.js';
import type { ToolFor } from './registry.js';

const ANY_RESULT = { description: 'The result: text, or any JSON value.' };

/** The tool. Only the output of a finished task has to fit the definition's schema: a partial output may not be able to. */
export function completeTask(validate: ValidateJson): ToolFor {
  return {
    name: COMPLETE_TASK,
    for: ({ outputSchema }) =>
      defineTool({
        name: COMPLETE_TASK,
        description:
          'Ends the task and says how: status "done", with the result as output, when everything that was asked for is done; "partial", with what you have ' +
          'as output and what is missing, when only part of it is; "blocked", with the reason, when you cannot go on. Call it once, with no other tool. ' +
          'An honest partial or blocked is better than a false done: whoever gave you the task can then help and let it go on from here.',
        group: 'completion',
        resume: 'repeat',
        input: CompletionInput,
        inputSchema: completionSchema(outputSchema ?? ANY_RESULT),
        check: ({ status, output }) =>
          outputSchema === null || status !== 'done' || output === undefined
            ? []
            : validate(outputSchema, output).map((issue) => `output: ${issue}`),
        run: () => ({ kind: 'complete' }),
      }),
  };
}
