/** The request of a turn, built from the stored history. The same state gives the same bytes. */
import type { ModelRequest, ToolChoice } from '../ports/model.js';
import { profileOf } from '../task/profile-of.js';
import { COMPLETE_TASK } from '../task/autonomy.js';
import { ENDING_TOOL, endingOf, offeredTools } from '../decide/offer.js';
import { rulesSection, withBriefing } from './briefing-text.js';
import { systemPrompt } from './prompts.js';
import { withSettledCalls } from './provider-blocks.js';
import { asSeen } from './shown-media.js';
import { inXmlDialect } from './xml-dialect.js';
import type { StoredMessage, TaskRecord } from '../task/task.js';
import type { RequestMessage } from '../task/history.js';
import type { Tool } from '../ports/tool.js';

/** What a request is made of. */
export interface RequestState {
  readonly task: TaskRecord;
  readonly messages: readonly StoredMessage[];
  /** The messages as they may be sent. */
  readonly requestMessages: readonly RequestMessage[];
}

/**
 * Tool definitions stay in every request, also when none may be called: taking them out would throw away the provider's cache
 * of everything behind them. Their order is the definition's.
 */
export function buildRequest(state: RequestState, tools: ReadonlyMap<string, Tool>): ModelRequest {
  const { definition, briefing } = state.task;
  const offered = offeredTools(tools, state.task);
  // The provider wants tools to be defined wherever the history has calls of them.
  const shown = offered.length === 0 && hasCalls(state) ? [...tools.values()] : offered;
  const profile = profileOf(state.task);
  const request: ModelRequest = {
    ...profile,
    system: systemPrompt(definition, rulesSection(briefing, state.requestMessages)),
    tools: shown.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    toolChoice: offered.length === 0 ? { type: 'none' } : toolChoice(state.task, offered),
    // A copy: the request stays what it is while the history grows.
    messages: asSeen(withBriefing(withSettledCalls(state.requestMessages), briefing), profile),
  };
  return request.dialect === 'xml' ? inXmlDialect(request) : request;
}

function toolChoice(task: TaskRecord, offered: readonly Tool[]): ToolChoice {
  const only = (name: string | null): ToolChoice =>
    name !== null && offered.some((tool) => tool.name === name) ? { type: 'tool', name } : { type: 'none' };
  switch (task.phase) {
    case 'work':
      return { type: 'auto' };
    case 'extract':
      // An agent that has a completion tool ends with it: only that can say that not everything is done.
      return only(ENDING_TOOL[endingOf(task)]);
    case 'grace':
      return only(COMPLETE_TASK);
  }
}

function hasCalls({ messages }: RequestState): boolean {
  return messages.some(({ content }) => content.some(({ type }) => type === 'tool_use'));
}
