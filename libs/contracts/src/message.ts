/**
 * The API history: messages exactly as the model is sent them. Blocks are open objects on purpose: what the provider sent
 * (signatures, fields that we do not know) is stored and sent back verbatim.
 */
import { z } from 'zod';
import { Json } from './json.js';

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const ThinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
const RedactedThinkingBlock = z.looseObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
});
const ToolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: Json,
});
const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.string(),
  is_error: z.boolean().optional(),
});

export const ContentBlock = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const MessageRole = z.enum(['user', 'assistant']);
export type MessageRole = z.infer<typeof MessageRole>;

/** One row of the API history as the HTTP API shows it. */
export const ApiMessageView = z
  .object({
    id: z.string(),
    seq: z.int(),
    turn: z.int(),
    role: MessageRole,
    content: z.array(ContentBlock),
    stopReason: z.string().nullable(),
    createdAt: z.iso.datetime(),
    droppedAt: z.iso
      .datetime()
      .nullable()
      .describe('From then on the message is not sent to the model: the conversation was rewound.'),
  })
  .meta({ id: 'ApiMessage' });
export type ApiMessageView = z.infer<typeof ApiMessageView>;
