/**
 * The parts of the Messages API's JSON that the simulator reads and writes. Own types, so that the simulator can't
 * inherit a mistake of the client library that it is used to test.
 */

export interface CacheControl {
  type: 'ephemeral';
  ttl?: '5m' | '1h' | undefined;
}

export interface TextBlock {
  type: 'text';
  text: string;
  cache_control?: CacheControl | null | undefined;
}

interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  cache_control?: CacheControl | null | undefined;
}

interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | ContentBlock[] | undefined;
  is_error?: boolean | undefined;
  cache_control?: CacheControl | null | undefined;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
}

/** A block the simulator carries along without looking inside (images, documents, server tool blocks, …). */
interface OpaqueBlock {
  type: OpaqueBlockType;
  [key: string]: unknown;
}

export const OPAQUE_BLOCK_TYPES = [
  'image',
  'document',
  'search_result',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'tool_reference',
  'container_upload',
  'mcp_tool_use',
  'mcp_tool_result',
  'compaction',
] as const;
type OpaqueBlockType = (typeof OPAQUE_BLOCK_TYPES)[number];

export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock | OpaqueBlock;

export interface Message {
  role: 'user' | 'assistant' | 'system';
  content: string | ContentBlock[];
}

export interface ToolDefinition {
  name: string;
  type?: string | null | undefined;
  description?: string | undefined;
  input_schema?: Record<string, unknown> | undefined;
  cache_control?: CacheControl | null | undefined;
  [key: string]: unknown;
}

export interface ToolChoice {
  type: 'auto' | 'any' | 'tool' | 'none';
  name?: string | undefined;
  disable_parallel_tool_use?: boolean | undefined;
}

interface ThinkingSetting {
  type: 'enabled' | 'disabled' | 'adaptive';
  budget_tokens?: number | undefined;
  display?: 'omitted' | 'summarized' | null | undefined;
}

/** What an answer is to look like: JSON that fits a schema. */
interface OutputFormat {
  type: 'json_schema';
  schema: Record<string, unknown>;
}

export interface MessagesRequest {
  model: string;
  max_tokens: number;
  messages: Message[];
  system?: string | TextBlock[] | undefined;
  tools?: ToolDefinition[] | undefined;
  tool_choice?: ToolChoice | undefined;
  thinking?: ThinkingSetting | undefined;
  output_config?: { format?: OutputFormat | null | undefined; [key: string]: unknown } | undefined;
  /** The name of `output_config.format` before it had that place. */
  output_format?: OutputFormat | null | undefined;
  cache_control?: CacheControl | null | undefined;
  stream?: boolean | undefined;
  temperature?: number | undefined;
  top_p?: number | undefined;
  top_k?: number | undefined;
  [key: string]: unknown;
}

/** Token counts of one request; `input_tokens` is only what was neither read from nor written to the cache. */
export interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens: number;
  server_tool_use?: Record<string, number> | undefined;
  service_tier: 'standard';
}

/** The blocks of a message, with a plain string seen as the one text block that it stands for. */
export function blocksOf(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
