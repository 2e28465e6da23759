/** Settings of a request that the API refuses although each field has the right type. */
import { invalidRequest } from '../api-error.js';
import { blocksOf, type MessagesRequest } from '../wire.js';
import { modelVersion, outputLimit } from './model-name.js';

/** Throws `ApiError` (400) for settings that contradict each other or do not suit the model. */
export function checkSettings(request: MessagesRequest): void {
  checkMaxTokens(request);
  checkSampling(request);
  checkThinking(request);
  checkTools(request);
  checkToolChoice(request);
  checkCacheMarks(request);
}

function checkMaxTokens({ model, max_tokens: maxTokens, stream }: MessagesRequest): void {
  // Zero only warms the cache, which makes no sense for a stream.
  if (maxTokens === 0 && stream === true)
    throw invalidRequest('max_tokens: Input should be greater than or equal to 1');
  const limit = outputLimit(model);
  if (maxTokens > limit) {
    throw invalidRequest(
      `max_tokens: ${maxTokens} > ${limit}, which is the maximum allowed number of output tokens for ${model}`,
    );
  }
}

/** After 4.6 the sampling fields are accepted only with the values that they have anyway. */
function checkSampling(request: MessagesRequest): void {
  if (modelVersion(request.model) <= 4.6) return;
  const defaults = { temperature: 1, top_p: 1, top_k: undefined } as const;
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    const value = request[name];
    if (value !== undefined && value !== defaults[name]) {
      throw invalidRequest(`\`${name}\` is deprecated for this model.`);
    }
  }
}

function checkThinking({ model, thinking, max_tokens: maxTokens }: MessagesRequest): void {
  if (thinking === undefined || thinking.type === 'disabled') return;
  if (thinking.type === 'adaptive') {
    if (modelVersion(model) <= 4.5) throw invalidRequest('adaptive thinking is not supported on this model');
    return;
  }
  if (modelVersion(model) >= 4.7) {
    throw invalidRequest(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  if (thinking.budget_tokens === undefined)
    throw invalidRequest('thinking.enabled.budget_tokens: Field required');
  if (thinking.budget_tokens >= maxTokens) {
    throw invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
}

function checkTools({ tools, messages }: MessagesRequest): void {
  const names = (tools ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidRequest('tools: Tool names must be unique.');
  if (names.length > 0) return;
  const usesTools = messages
    .flatMap(({ content }) => blocksOf(content))
    .some(({ type }) => type === 'tool_use' || type === 'tool_result');
  if (usesTools) {
    throw invalidRequest('Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
}

function checkToolChoice({ tool_choice: choice, tools, thinking }: MessagesRequest): void {
  if (choice === undefined) return;
  if ((tools ?? []).length === 0)
    throw invalidRequest('tool_choice may only be specified while providing tools');
  if (choice.type !== 'tool' && choice.type !== 'any') return;
  if (thinking?.type === 'enabled') {
    throw invalidRequest('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (choice.type !== 'tool') return;
  if (choice.name === undefined) throw invalidRequest('tool_choice.tool.name: Field required');
  if (!tools?.some(({ name }) => name === choice.name)) {
    throw invalidRequest(`Tool '${choice.name}' not found in provided tools`);
  }
}

function checkCacheMarks(request: MessagesRequest): void {
  const blocks = request.messages
    .flatMap(({ content }) => blocksOf(content))
    .flatMap((block) =>
      block.type === 'tool_result' && Array.isArray(block.content) ? [block, ...block.content] : [block],
    );
  const marked = [
    request,
    ...(request.tools ?? []),
    ...(Array.isArray(request.system) ? request.system : []),
    ...blocks,
  ].filter((item) => 'cache_control' in item && item.cache_control != null);
  if (marked.length > 4) {
    throw invalidRequest(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
  }
}
