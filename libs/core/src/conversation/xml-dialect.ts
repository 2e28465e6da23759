/**
 * The dialect for models without tool calls of their own. Stored rows are the same in every dialect; this is how a request shows them,
 * so that a task can change its model in the middle of its work.
 */
import type { ContentBlock, Json } from '@bullpen/contracts';
import type { ModelRequest } from '../ports/model.js';
import { isThinking, type RequestMessage } from '../task/history.js';
import { mediaBlock } from './shown-media.js';
import { toolsText } from './xml/tools-text.js';

/** The same request for such a model: tools are told in words, calls and results are text. */
export function inXmlDialect(request: ModelRequest): ModelRequest {
  const { system, tools, toolChoice, messages } = request;
  return {
    ...request,
    system: tools.length === 0 ? system : `${system}\n\n${toolsText(tools)}`,
    tools: [],
    toolChoice: { type: 'none' },
    messages: messages.map(asText),
    callsInText: tools.filter(({ name }) => mayCall(name, toolChoice)),
  };
}

function mayCall(name: string, choice: ModelRequest['toolChoice']): boolean {
  return choice.type === 'auto' || (choice.type === 'tool' && choice.name === name);
}

/** Stored messages do not change, and a request shows all of them. */
const shown = new WeakMap<RequestMessage, RequestMessage>();

/** A message in which calls and results are text. What a model of another dialect thought stays with that model. */
export function asText(message: RequestMessage): RequestMessage {
  const before = shown.get(message);
  if (before !== undefined) return before;
  const content = contentAsText(message.content);
  const after = content.length === 0 ? { ...message, content: [text('(nothing)')] } : { ...message, content };
  shown.set(message, after);
  return after;
}

function contentAsText(content: readonly ContentBlock[]): ContentBlock[] {
  let results = 0;
  return content.flatMap((block): ContentBlock[] => {
    if (isThinking(block) || block.type === 'provider') return [];
    if (block.type === 'tool_use') return [text(callText(block.name, block.input))];
    if (block.type !== 'tool_result') return [block];
    results += 1;
    const { content: said, media = [] } = block;
    return [text(resultText(results, said, block.is_error === true)), ...media.map(mediaBlock)];
  });
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function callText(name: string, input: Json): string {
  const parameters = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const lines = parameters.map(([key, value]) => {
    return `<${key}>${typeof value === 'string' ? value : JSON.stringify(value)}</${key}>\n`;
  });
  return `<${name}>\n${lines.join('')}</${name}>`;
}

/** Results come in the order of the calls. One that holds the closing tag itself gets another, so that it can't end early. */
function resultText(number: number, content: string, isError: boolean): string {
  const used = new Set(content.match(/<\/result(?:-\d+)?>/g));
  let tag = 'result';
  for (let n = 2; used.has(`</${tag}>`); n += 1) tag = `result-${n}`;
  return `<${tag} call="${number}"${isError ? ' error="true"' : ''}>\n${content}\n</${tag}>`;
}
