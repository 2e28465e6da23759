/** A client for tests, by hand on purpose: it shows the wire as it is. */
import type { ModelSim } from '../start-model-sim.js';
import type { Message, MessagesRequest } from '../wire.js';

export interface SseEvent {
  event: string;
  data: Record<string, unknown>;
}

export function aRequest(
  overrides: Partial<MessagesRequest> & Record<string, unknown> = {},
): Record<string, unknown> {
  return { model: 'claude-sonnet-5-5', max_tokens: 32_000, messages: [aUser('Say hello.')], ...overrides };
}

export function aUser(text: string): Message {
  return { role: 'user', content: text };
}

export const A_TOOL = {
  name: 'look',
  description: 'Looks.',
  input_schema: { type: 'object', properties: {} },
};

export async function post(
  sim: ModelSim,
  body: unknown,
  options: { path?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const { path = '/v1/messages', headers = { 'x-api-key': 'any' }, signal } = options;
  return fetch(sim.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: signal ?? null,
  });
}

/** The error text of a refused request. */
export async function errorOf(
  response: Response,
): Promise<{ status: number; type: string; message: string }> {
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  return { status: response.status, type: error.type, message: error.message };
}

export async function streamText(sim: ModelSim, body: Record<string, unknown>): Promise<string> {
  return (await post(sim, { ...body, stream: true })).text();
}

export async function stream(sim: ModelSim, body: Record<string, unknown>): Promise<SseEvent[]> {
  return parseSse(await streamText(sim, body));
}

export function parseSse(text: string): SseEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((record) => record.trim() !== '')
    .map((record) => {
      const [, event = '', data = ''] = /^event: (.*)\r?\ndata: (.*)$/.exec(record) ?? [];
      return { event, data: JSON.parse(data) as Record<string, unknown> };
    });
}

/** Puts a streamed message together, as any client does. */
export function assemble(events: readonly SseEvent[]): {
  content: Array<Record<string, unknown>>;
  stopReason: unknown;
  usage: unknown;
} {
  const content: Array<Record<string, unknown>> = [];
  const json: string[] = [];
  let stopReason: unknown;
  let usage: unknown;
  for (const { event, data } of events) {
    const index = data['index'] as number;
    const delta = (data['delta'] ?? {}) as Record<string, string>;
    if (event === 'content_block_start') content[index] = { ...(data['content_block'] as object) };
    const block = content[index] ?? {};
    if (delta['type'] === 'text_delta') block['text'] = String(block['text']) + delta['text'];
    if (delta['type'] === 'thinking_delta') block['thinking'] = String(block['thinking']) + delta['thinking'];
    if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
    if (delta['type'] === 'input_json_delta') json[index] = (json[index] ?? '') + delta['partial_json'];
    if (event === 'content_block_stop' && json[index] !== undefined)
      block['input'] = JSON.parse(json[index] || '{}');
    if (event === 'message_delta') ({ stop_reason: stopReason } = delta as Record<string, unknown>);
    if (event === 'message_delta') usage = data['usage'];
  }
  return { content, stopReason, usage };
}
