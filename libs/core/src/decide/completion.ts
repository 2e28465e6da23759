/**
 * How an agent says that its work is over: done, partly done, or blocked. An agent that could only say "done" would have to lie
 * when it is not, so the arguments of `complete_task` name the outcome, and only `done` reaches the goal.
 */
import type { Json, JsonSchema, StopCause } from '@bullpen/contracts';
import { z } from 'zod';
import type { TaskOutcome } from '../task/task.js';
import { preview } from '../task/text.js';

const Said = z.string().trim().min(1).max(5_000);

/** The arguments of `complete_task`. */
export const CompletionInput = z
  .object({
    status: z.enum(['done', 'partial', 'blocked']).default('done'),
    output: z.json().optional(),
    missing: z.union([z.array(Said).max(100), Said.transform((one) => [one])]).default([]),
    reason: Said.optional(),
  })
  .check(({ value: { status, output, missing, reason }, issues }) => {
    const issue = (field: string, message: string) =>
      issues.push({ code: 'custom', path: [field], message, input: undefined });
    if (status === 'done') {
      if (output === undefined) issue('output', 'is missing');
      if (missing.length > 0)
        issue('missing', 'is only for the status partial or blocked; leave it out when everything is done');
    } else if (missing.length === 0 && reason === undefined) {
      if (status === 'partial')
        issue('missing', 'is required for the status partial: what was asked for and not done');
      else issue('reason', 'is required for the status blocked: what stops you from going on');
    }
  });

/** The schema of the arguments of `complete_task`, as shown to a model. `output` is the schema of the result. */
export function completionSchema(output: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['status'],
    additionalProperties: false,
    properties: {
      status: {
        enum: ['done', 'partial', 'blocked'],
        description:
          'done: everything that was asked for is done. partial: some of it is. blocked: something that you cannot change stops you.',
      },
      output,
      missing: {
        type: 'array',
        items: { type: 'string' },
        description: 'For partial: each thing that was asked for but not done or not checked.',
      },
      reason: {
        type: 'string',
        description: 'For blocked (and partial, if it helps): why, and what would have to change.',
      },
    },
  };
}

/** The outcome that the arguments of an accepted call describe. */
export function endSaid(args: Json | null): TaskOutcome {
  const { status, output = null, missing, reason } = CompletionInput.parse(args);
  if (status === 'done') return { state: 'completed', cause: 'goal', output, partial: false, failure: null };
  const said = [
    status === 'partial' ? 'The agent did only part of the task.' : 'The agent could not go on.',
    ...(reason === undefined ? [] : [reason]),
    ...(missing.length === 0 ? [] : [`Missing: ${missing.join('; ')}`]),
  ];
  const message = preview(said.join(' '), 5_000);
  return {
    state: 'failed',
    cause: status,
    output,
    partial: output !== null,
    failure: { cause: status, code: status, message, errorClass: null },
  };
}

/** Ends that an agent chose itself. What the user has written meanwhile comes first: it may be what was missing. */
export function isOwnEnd(cause: StopCause): boolean {
  return cause === 'goal' || cause === 'partial' || cause === 'blocked';
}
