/** The view of a request that a scripted agent gets: the same facts as in the request, in convenient form. */
import { wantsRecord, withoutFacts } from './own-words.js';
import { outputSchemaOf } from './validation/check-output-format.js';
import {
  blocksOf,
  type ContentBlock,
  type Message,
  type MessagesRequest,
  type ToolChoice,
  type ToolDefinition,
} from './wire.js';

/** A tool call of an earlier turn, with its result. */
export interface ToolResultView {
  id: string;
  /** Name and input of the call; '' and {} when the call is no longer part of the history. */
  name: string;
  input: Record<string, unknown>;
  /** The text of the result; texts of several blocks are joined with a newline. */
  text: string;
  isError: boolean;
}

export interface AgentTurn {
  /** From the line `Agent: <name>` of the system prompt; '' when there is none. */
  agent: string;
  model: string;
  maxTokens: number;
  systemPrompt: string;
  /** Text of the first user message, without the facts that its harness put beside it. */
  prompt: string;
  /** Text of the last user message that has any (tool results are not counted as text). */
  lastUserText: string;
  messages: readonly Message[];
  /** The harness wants a record of the conversation, which has become too long, and no next step of it. */
  wantsRecord: boolean;
  /** Number of assistant turns so far; 0 for the first request. A paused turn that is being continued is not counted. */
  turnIndex: number;
  /** How often the turn that is being continued was paused; 0 for any other. */
  pauses: number;
  /** Results in the last message, in order. Empty unless the last message answers tool calls. */
  lastToolResults: readonly ToolResultView[];
  /** Results of the whole history, oldest first. */
  allToolResults: readonly ToolResultView[];
  tools: readonly ToolDefinition[];
  toolChoice: ToolChoice;
  /** The JSON schema that an answer in words has to fit; undefined when any will do. */
  outputSchema: Readonly<Record<string, unknown>> | undefined;
  /** The definition of a tool on offer, or undefined. */
  tool(name: string): ToolDefinition | undefined;
}

const AGENT_LINE = /^Agent:[ \t]*(\S.*?)[ \t]*$/m;

/** Builds the view. Never throws: the request has been validated. */
export function agentTurnOf(request: MessagesRequest): AgentTurn {
  const systemPrompt = systemPromptOf(request);
  const userTexts = request.messages
    .filter(({ role }) => role === 'user')
    .map((message) => textOf(withoutFacts(message).content));
  const tools = request.tools ?? [];
  const last = request.messages.at(-1);
  return {
    agent: agentNameOf(systemPrompt),
    model: request.model,
    maxTokens: request.max_tokens,
    systemPrompt,
    prompt: userTexts[0] ?? '',
    lastUserText: userTexts.findLast((text) => text !== '') ?? '',
    messages: request.messages,
    wantsRecord: wantsRecord(request.messages),
    turnIndex: countAssistantTurns(request.messages),
    pauses: request.messages.length - 1 - request.messages.findLastIndex(({ role }) => role !== 'assistant'),
    lastToolResults: last === undefined ? [] : resultsIn([last], request.messages),
    allToolResults: resultsIn(request.messages, request.messages),
    tools,
    toolChoice: request.tool_choice ?? { type: 'auto' },
    outputSchema: outputSchemaOf(request),
    tool: (name) => tools.find((tool) => tool.name === name),
  };
}

/** The name on the `Agent: <name>` line of a system prompt; '' when there is none. */
function agentNameOf(systemPrompt: string): string {
  return AGENT_LINE.exec(systemPrompt)?.[1] ?? '';
}

/** The system prompt as one text. */
function systemPromptOf({ system }: Pick<MessagesRequest, 'system'>): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n\n');
}

/** Neighbouring assistant messages are one turn, as the API merges them; a last one is still going on. */
function countAssistantTurns(messages: readonly Message[]): number {
  return messages.filter(
    ({ role }, index) =>
      role === 'assistant' && index + 1 < messages.length && messages[index + 1]?.role !== 'assistant',
  ).length;
}

function resultsIn(messages: readonly Message[], history: readonly Message[]): ToolResultView[] {
  const calls = new Map(
    history
      .flatMap(({ content }) => blocksOf(content))
      .flatMap((block) => (block.type === 'tool_use' ? [[block.id, block] as const] : [])),
  );
  return messages
    .flatMap(({ content }) => blocksOf(content))
    .flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      const { content = '', is_error: isError = false } = block;
      return [
        {
          id: block.tool_use_id,
          name: call?.name ?? '',
          input: call?.input ?? {},
          text: textOf(content),
          isError,
        },
      ];
    });
}

function textOf(content: string | ContentBlock[]): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}
