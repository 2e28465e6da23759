/** The request of a turn, built from the stored history. The same state gives the same bytes. */
import type { ModelRequest, ToolChoice } from './model.js';
import { COMPLETE_TASK, systemPrompt } from './prompts.js';
import type { RunState } from './run-state.js';
import type { Tool } from './tool.js';

/**
 * Tool definitions stay in every request, also when none may be called: taking them out would throw away the provider's cache
 * of everything behind them. Their order is the definition's.
 */
export function buildRequest(state: RunState, tools: ReadonlyMap<string, Tool>): ModelRequest {
  const { definition, phase } = state.task;
  return {
    model: definition.model,
    maxOutputTokens: definition.maxOutputTokens,
    system: systemPrompt(definition),
    tools: [...tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    toolChoice: toolChoice(phase, tools),
    // A copy: the request stays what it is while the history grows.
    messages: [...state.requestMessages],
  };
}

function toolChoice(phase: RunState['task']['phase'], tools: ReadonlyMap<string, Tool>): ToolChoice {
  switch (phase) {
    case 'work':
      return { type: 'auto' };
    case 'extract':
      return { type: 'none' };
    case 'grace':
      return tools.has(COMPLETE_TASK) ? { type: 'tool', name: COMPLETE_TASK } : { type: 'none' };
  }
}
