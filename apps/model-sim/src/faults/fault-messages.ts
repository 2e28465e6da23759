/** Faults that change what the model says: the message ends in an unusual way, but the protocol is kept. */
import { newId } from '../ids.js';
import {
  outputTokensOf,
  shortened,
  type AssistantBlock,
  type AssistantMessage,
} from '../reply/assistant-message.js';
import type { MessagesRequest } from '../wire.js';
import type { FaultKind, FaultOf } from './fault.js';

type MessageFault<K extends FaultKind> = (
  message: AssistantMessage,
  request: MessagesRequest,
  fault: FaultOf<K>,
) => AssistantMessage;

/** Kinds of fault that change the message. */
export const MESSAGE_FAULTS = {
  /** The last tool call is cut in the middle of its JSON. */
  max_tokens_mid_json: (message, request) => {
    const content = withToolUse(message, request);
    const last = content.findLastIndex(isToolUse);
    const cut = content
      .slice(0, last + 1)
      .map((block, index) => (index === last ? shortened(block, 0.5) : block));
    return { ...withContent(message, cut), stopReason: 'max_tokens' };
  },
  /** The model calls a tool and is then stopped by the provider's safety check: the call must not be run. */
  refusal_after_tool_use: (message, request) => ({
    ...withContent(message, withToolUse(message, request)),
    stopReason: 'refusal',
    stopDetails: { type: 'refusal', category: 'general_harms', explanation: 'Simulated refusal.' },
  }),
  /** A server-side tool loop reached its limit; the client is to send the turn back as it is. */
  pause_turn: (message) => ({
    ...withContent(message, [...message.content.filter((block) => !isToolUse(block)), serverCall()]),
    stopReason: 'pause_turn',
  }),
  /** The model has nothing to add: two tokens and no content. */
  empty_end_turn: (message) => ({
    ...message,
    content: [],
    stopReason: 'end_turn',
    usage: { ...message.usage, output_tokens: 2 },
  }),
  /** Two calls share one id, which the provider would refuse to see again. */
  duplicate_tool_ids: (message, request) => {
    const content = withToolUse(message, request);
    const first = content.find(isToolUse);
    if (first === undefined) return message;
    const others = content.filter(isToolUse).slice(1);
    const twins = (others.length === 0 ? [first] : others).map((block) => ({ ...block, id: first.id }));
    return {
      ...withContent(message, [...content.filter((block) => !isToolUse(block)), first, ...twins]),
      stopReason: 'tool_use',
    };
  },
  /** Several calls in one message: the one that the script makes, as often as asked for, each with an id of its own. */
  parallel_tools: (message, request, { count = 2 }) => {
    const content = withToolUse(message, request);
    const last = content.findLast(isToolUse);
    const missing = Math.max(0, count - content.filter(isToolUse).length);
    const more = last === undefined ? [] : Array.from({ length: missing }, () => copyOf(last));
    return { ...withContent(message, [...content, ...more]), stopReason: 'tool_use' };
  },
  /** Two calls for the client, and between them one of a tool that the provider runs itself. */
  server_tool_beside_tools: (message, request) => {
    const content = withToolUse(message, request);
    const last = content.findLast(isToolUse);
    const twin = last === undefined ? [] : [copyOf(last)];
    return { ...withContent(message, [...content, serverCall(), ...twin]), stopReason: 'tool_use' };
  },
} satisfies { [K in FaultKind]?: MessageFault<K> };

type ToolUse = Extract<AssistantBlock, { type: 'tool_use' }>;

function serverCall(): Extract<AssistantBlock, { type: 'server_tool_use' }> {
  return {
    type: 'server_tool_use',
    id: newId('srvtoolu_01'),
    name: 'web_search',
    json: '{"query":"simulated"}',
  };
}

function copyOf(call: ToolUse): ToolUse {
  return { ...call, id: newId('toolu_01') };
}

function isToolUse(block: AssistantBlock): block is ToolUse {
  return block.type === 'tool_use';
}

/** The content with at least one tool call: faults about tool calls also work on a turn that has none. */
function withToolUse({ content }: AssistantMessage, { tools = [] }: MessagesRequest): AssistantBlock[] {
  if (content.some(isToolUse)) return content;
  const name = tools[0]?.name ?? 'simulated_tool';
  return [...content, { type: 'tool_use', id: newId('toolu_01'), name, json: '{"simulated":true}' }];
}

function withContent(message: AssistantMessage, content: AssistantBlock[]): AssistantMessage {
  return {
    ...message,
    content,
    usage: { ...message.usage, output_tokens: Math.max(1, outputTokensOf(content)) },
  };
}
