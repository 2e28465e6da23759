/** Tool calls and model calls as the API shows them. */
import { z } from 'zod';
import { ContextSize } from './context.js';
import { Json } from './json.js';
import { Media } from './media.js';
import { Sandbox } from './sandbox.js';
import { TokenUsage } from './usage.js';

/**
 * `generated` (complete, not yet started), `calling` (intent stored, effect may have happened), then one of the ends.
 * `generating` exists only in live events: arguments that still stream are never stored.
 */
const ToolCallState = z.enum(['generating', 'generated', 'calling', 'done', 'canceled', 'errored']);

/**
 * What was decided about a call, and by what: a rule of the policy, or a person's answer to an interaction. `ask`: it waits for one.
 */
export const ApprovalDecision = z
  .object({
    verdict: z.enum(['approve', 'deny', 'ask']),
    rule: z.string(),
    /** A stable code in snake case; older decisions have none. */
    code: z.string().optional(),
    reason: z.string(),
    /** The part of the arguments that decided, as the command policy found it. */
    part: z.string().optional(),
    by: z.enum(['policy', 'user', 'expiry']),
    interactionId: z.string().optional(),
    hash: z.string().optional().describe('What exactly a person approved.'),
  })
  .meta({ id: 'ApprovalDecision' });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

export const ToolCallView = z
  .object({
    id: z.string(),
    taskId: z.string(),
    turn: z.int(),
    position: z.int(),
    toolUseId: z.string(),
    tool: z.string(),
    state: ToolCallState,
    rawArguments: z.string(),
    arguments: Json.nullable(),
    approval: ApprovalDecision.nullable(),
    output: z.string().nullable(),
    outputTruncated: z.boolean(),
    media: z.array(Media).optional().describe('Pictures and documents that belong to the output.'),
    isError: z.boolean(),
    childTaskId: z.string().nullable(),
    sandbox: Sandbox.nullable().describe('What held the program that it started; null if it started none.'),
    durationMs: z.int().nullable(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ToolCall' });
export type ToolCallView = z.infer<typeof ToolCallView>;

export const ModelCallView = z
  .object({
    id: z.string(),
    turn: z.int(),
    attempt: z.int(),
    phase: z.string(),
    profile: z.string().describe('The model profile that the request was made from.'),
    model: z.string(),
    status: z.enum(['started', 'done', 'failed', 'abandoned']),
    requestHash: z.string(),
    requestMessages: z.int(),
    context: ContextSize.nullable().describe(
      'How full the window was with the request, and after the answer with it.',
    ),
    usage: TokenUsage.nullable().describe(
      'What was read from the cache, written to it, and neither; null until it is settled.',
    ),
    costUsd: z.string().nullable().describe('Null also for a model without a known price.'),
    firstByteMs: z.int().nullable().describe('From the start of the call to the first byte of the answer.'),
    firstTextMs: z.int().nullable().describe('To the first piece of its content.'),
    durationMs: z.int().nullable(),
    providerRequestId: z.string().nullable(),
    stopReason: z.string().nullable(),
    errorClass: z.string().nullable(),
    errorMessage: z.string().nullable(),
    retryDelayMs: z.int().nullable(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ModelCall' });
export type ModelCallView = z.infer<typeof ModelCallView>;

const KeptBody = z.object({
  bytes: z.int().describe('Size of the whole.'),
  text: z
    .string()
    .describe('JSON, with secrets masked; only its beginning where it is longer than what is kept.'),
});

/** What a model call sent and got, of a task that asked for it to be kept. */
export const ModelCallBodies = z
  .object({
    modelCallId: z.string(),
    request: KeptBody.describe('As the provider got it.'),
    response: KeptBody.describe('What came of the answer: content, stop reason, usage, error.'),
    keptAt: z.iso.datetime(),
  })
  .meta({ id: 'ModelCallBodies' });
export type ModelCallBodies = z.infer<typeof ModelCallBodies>;
