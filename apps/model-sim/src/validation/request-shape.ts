/** Which fields a request may have and of which types. What the fields say together is checked in the files beside it. */
import { z } from 'zod';
import { OPAQUE_BLOCK_TYPES, type MessagesRequest } from '../wire.js';
import { shapeErrorText } from './shape-error-text.js';
import { invalidRequest } from '../api-error.js';

const ID_PATTERN = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const cacheControl = { cache_control: CacheControl.nullish() };
/** Zod says of a text only that it is no number; the API that it is no integer. */
const integer = z
  .number({ error: ({ input }) => (input === undefined ? undefined : 'Input should be a valid integer') })
  .int();
const object = z.record(z.string(), z.unknown());

const TextBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...cacheControl,
});
const opaqueBlocks = OPAQUE_BLOCK_TYPES.map((type) =>
  z.looseObject({ type: z.literal(type), ...cacheControl }),
);
const ToolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(ID_PATTERN),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [TextBlock, ...opaqueBlocks]))])
    .optional(),
  is_error: z.boolean().optional(),
  ...cacheControl,
});
const ToolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(ID_PATTERN),
  name: z.string().min(1).max(200),
  input: object,
  caller: z.unknown().optional(),
  ...cacheControl,
});
const ThinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});
const Block = z.discriminatedUnion('type', [
  TextBlock,
  ToolUseBlock,
  ToolResultBlock,
  ThinkingBlock,
  ...opaqueBlocks,
]);

const Message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(Block)]),
});

const CustomTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(TOOL_NAME_PATTERN),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  input_examples: z.array(object).optional(),
  ...cacheControl,
});
const ServerTool = z.looseObject({
  type: z.string().regex(/_\d{8}$/),
  name: z.string().regex(TOOL_NAME_PATTERN),
  ...cacheControl,
});

const ToolChoice = z.strictObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().optional(),
});

const ThinkingSetting = z.strictObject({
  type: z.enum(['enabled', 'disabled', 'adaptive']),
  budget_tokens: integer.min(1024).optional(),
  display: z.enum(['omitted', 'summarized']).nullish(),
});

const OutputFormat = z.strictObject({ type: z.literal('json_schema'), schema: object });

const OutputConfig = z.looseObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: OutputFormat.nullish(),
});

const countedFields = {
  model: z.string().min(1),
  messages: z.array(Message),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(z.union([CustomTool, ServerTool])).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: ThinkingSetting.optional(),
  cache_control: CacheControl.nullish(),
  context_management: z.unknown().optional(),
  mcp_servers: z.array(z.unknown()).optional(),
  output_config: OutputConfig.optional(),
  output_format: OutputFormat.nullish(),
};

const MessagesBody = z.strictObject({
  ...countedFields,
  max_tokens: integer.min(0),
  stream: z.boolean().optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: integer.min(0).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.unknown().optional(),
  inference_geo: z.string().nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
});

const CountTokensBody = z.strictObject(countedFields);

/** The body of `POST /v1/messages`. Throws `ApiError` (400) that names the first field that is missing, unknown or wrong. */
export function parseMessagesBody(body: unknown): MessagesRequest {
  return parse(MessagesBody, body) as MessagesRequest;
}

/** The body of `POST /v1/messages/count_tokens`, with `max_tokens` 1. Throws as `parseMessagesBody` does. */
export function parseCountTokensBody(body: unknown): MessagesRequest {
  return {
    ...(parse(CountTokensBody, body) as Omit<MessagesRequest, 'max_tokens'>),
    max_tokens: 1,
  } as MessagesRequest;
}

function parse(schema: z.ZodType, body: unknown): unknown {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidRequest(shapeErrorText(parsed.error.issues, body));
}
