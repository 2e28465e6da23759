/** How a request asks its model to think, as its generation takes it. */
import type Anthropic from '@anthropic-ai/sdk';
import { isThinking, modelFacts, type ModelRequest, type RequestMessage } from '@bullpen/core';

type ThinkingSettings = Pick<Anthropic.MessageCreateParamsStreaming, 'thinking' | 'output_config'>;

/** For thinking between tool calls; later generations do that by themselves. */
export const INTERLEAVED_BETA = 'interleaved-thinking-2025-05-14';

export function thinkingSettings(request: ModelRequest): ThinkingSettings {
  const thinking = thinkingOf(request);
  return {
    ...(thinking === null ? {} : { thinking }),
    ...(request.effort === null ? {} : { output_config: { effort: request.effort } }),
  };
}

/** Whether the request needs the beta to think between its tool calls. */
export function needsInterleaving(request: ModelRequest): boolean {
  return request.tools.length > 0 && thinkingOf(request)?.type === 'enabled';
}

function thinkingOf(request: ModelRequest): Anthropic.ThinkingConfigParam | null {
  const { thinking, model, provider } = request;
  if (thinking === 'off')
    // Since there is adaptive thinking, a request that says nothing may get some.
    return modelFacts(model)?.thinking.includes('adaptive') === true ? { type: 'disabled' } : null;
  if (thinking === 'adaptive')
    return provider === 'compatible' ? { type: 'adaptive' } : { type: 'adaptive', display: 'summarized' };
  return mayThinkByBudget(request) ? { type: 'enabled', budget_tokens: thinking.budgetTokens } : null;
}

/**
 * With a budget the provider refuses a forced tool, and wants each answer of the running exchange to begin with thinking: one that was
 * made by another profile may not have any.
 */
function mayThinkByBudget({ toolChoice, messages }: ModelRequest): boolean {
  return toolChoice.type !== 'tool' && runningExchange(messages).every(beginsWithThinking);
}

/** The answers since somebody last said something that is no tool result. */
function runningExchange(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const start = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  );
  return messages.slice(start + 1).filter(({ role }) => role === 'assistant');
}

function beginsWithThinking({ content }: RequestMessage): boolean {
  const [first] = content;
  return first !== undefined && isThinking(first);
}
