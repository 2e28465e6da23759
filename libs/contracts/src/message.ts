/**
 * The API history: messages as the model is sent them. Blocks are open objects on purpose: what the provider sent (signatures, citations, fields
 * that we do not know) is stored and sent back verbatim. Only pictures and documents stand for their bytes, which go into the request.
 */
import { z } from 'zod';
import { Json } from './json.js';
import { Media } from './media.js';

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
  media: z
    .array(Media)
    .optional()
    .describe('Pictures and documents of the result; the model is sent their bytes.'),
  is_error: z.boolean().optional(),
});
const ImageBlock = z.looseObject({ type: z.literal('image'), media: Media });
const DocumentBlock = z.looseObject({
  type: z.literal('document'),
  media: Media,
  title: z.string().optional(),
});
/** Any other block of an answer: what a tool of the provider was asked and gave, and kinds that nobody knows yet. */
const ProviderBlock = z.looseObject({
  type: z.literal('provider'),
  block: z.record(z.string(), Json).describe('As it came, and as it is sent back.'),
});

export const ContentBlock = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  ImageBlock,
  DocumentBlock,
  ProviderBlock,
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const MessageRole = z.enum(['user', 'assistant']);
export type MessageRole = z.infer<typeof MessageRole>;

/**
 * A row of the API history that makes the conversation shorter. From then on, what the model is sent has the row in the place of the messages of the
 * range, or their outputs as one line each (`mask`). All rows stay as they are: without this one, they are sent again.
 */
export const Reduction = z
  .strictObject({
    kind: z.enum(['mask', 'condense', 'truncate']),
    fromSeq: z.int(),
    toSeq: z.int(),
    modelCallId: z.string().nullable().describe('The model call that wrote the summary.'),
    forcedBy: z.string().nullable().describe('The model call that the provider refused as too long.'),
  })
  .meta({ id: 'Reduction' });
export type Reduction = z.infer<typeof Reduction>;

/** One row of the API history as the HTTP API shows it. */
export const ApiMessageView = z
  .object({
    id: z.string(),
    seq: z.int(),
    turn: z.int(),
    role: MessageRole,
    content: z.array(ContentBlock),
    stopReason: z.string().nullable(),
    reduction: Reduction.nullable().describe(
      'Null: it was said. Otherwise it makes what was said before shorter.',
    ),
    createdAt: z.iso.datetime(),
    droppedAt: z.iso
      .datetime()
      .nullable()
      .describe('From then on the message is not sent to the model: the conversation was rewound.'),
  })
  .meta({ id: 'ApiMessage' });
export type ApiMessageView = z.infer<typeof ApiMessageView>;
