/** A stream read by what reads a provider's answers in a worker: the client, the dialect, the parser. */
import {
  AnswerParser,
  builtInProfile,
  withCallsInText,
  type ModelRequest,
  type ParsedAnswer,
  type RequestMessage,
  type ToolDefinition,
} from '@bullpen/core';
import { AnthropicModel } from '@bullpen/models';
import type { Stream } from './streams.js';

export type ReadStream = (stream: Stream) => Promise<ParsedAnswer>;

const string = { type: 'string' };
const tool = (name: string, properties: ToolDefinition['inputSchema']): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties, additionalProperties: false },
});
const TOOLS = [
  tool('write_file', { path: string, content: string }),
  tool('read_file', { path: string }),
  tool('list_files', { path: string }),
];
const ASKED: RequestMessage = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const ASKED_ONCE = requestWith([ASKED]);
const never = new AbortController().signal;

/** What stands for the network: the answer to the one request that is made at a time. */
let answer: (init: RequestInit | undefined) => Response = () => new Response('');
const model = new AnthropicModel({ apiKey: 'wire', fetch: (_, init) => Promise.resolve(answer(init)) });
const EVENT_STREAM = { headers: { 'content-type': 'text/event-stream' } };

/** Reads one. Throws only what the product would throw. */
export async function readStream({ pieces, recorded }: Stream): Promise<ParsedAnswer> {
  answer = () => new Response(bodyOf(pieces), EVENT_STREAM);
  const chunks = model.stream(ASKED_ONCE, never, () => true);
  const calls = recorded.dialect === 'xml' ? withCallsInText(chunks, TOOLS, (n) => `call_${n}`) : chunks;
  const parser = new AnswerParser();
  for await (const chunk of calls) parser.push(chunk);
  return parser.finish(new Set());
}

/** The body of the request that follows these messages. */
export async function bodyAfter(messages: readonly RequestMessage[]): Promise<Buffer> {
  let body = '';
  answer = (init) => {
    body = String(init?.body);
    return new Response('', EVENT_STREAM);
  };
  for await (const _ of model.stream(requestWith([ASKED, ...messages]), never, () => true));
  return Buffer.from(body);
}

function requestWith(messages: readonly RequestMessage[]): ModelRequest {
  const profile = builtInProfile('claude-sonnet-5-5');
  return { ...profile, system: '', tools: TOOLS, toolChoice: { type: 'auto' }, messages };
}

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[at++];
      if (piece === undefined) controller.close();
      else if (piece.length > 0) controller.enqueue(piece);
    },
  });
}
