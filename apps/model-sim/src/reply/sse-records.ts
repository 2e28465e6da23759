/** A message as the list of server-sent events that streams it, in the order of the real API. */
import { seededRandom } from '../seeded-random.js';
import { CHARACTERS_PER_TOKEN } from '../tokens.js';
import { messageJson, type AssistantBlock, type AssistantMessage } from './assistant-message.js';
import type { Pace } from './pacing.js';

export interface SseRecord {
  event: string;
  data: Record<string, unknown>;
  /** Simulated pacing before this record, in milliseconds; divided by the speed. */
  delayMs: number;
  /** A pause that a fault asks for, in milliseconds; never scaled. */
  pauseMs: number;
  /** Output tokens billed once this record is sent. */
  outputTokens: number;
}

/** Pieces get longer in long blocks, so that no block has many more than this. */
const MAX_PIECES = 600;

/** The records of a message: message_start, the blocks one after the other, message_delta, message_stop; one ping. */
export function sseRecordsOf(message: AssistantMessage, pace: Pace, seed: string): SseRecord[] {
  const random = seededRandom(`${seed}/pieces`);
  const records = [record('message_start', { message: startOf(message) }, pace.firstByteMs, 1)];
  let sent = 0;
  const billed = (): number => Math.min(Math.max(1, Math.ceil(sent)), message.usage.output_tokens);
  message.content.forEach((block, index) => {
    records.push(record('content_block_start', { index, content_block: emptyBlock(block) }, 0, billed()));
    if (index === 0) records.push(record('ping', {}, 0, billed()));
    for (const { delta, tokens } of deltasOf(block, random)) {
      sent += tokens;
      records.push(record('content_block_delta', { index, delta }, tokens * pace.msPerToken, billed()));
    }
    records.push(record('content_block_stop', { index }, 0, billed()));
  });
  records.push(messageDeltaOf(message), record('message_stop', {}, 0, message.usage.output_tokens));
  return records;
}

/** One record; its `type` is always the event's name. */
export function record(
  event: string,
  data: Record<string, unknown>,
  delayMs: number,
  outputTokens: number,
): SseRecord {
  return { event, data: { type: event, ...data }, delayMs, pauseMs: 0, outputTokens };
}

/** The bytes of a record on the wire. */
export function encodeRecord({ event, data }: SseRecord): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function startOf(message: AssistantMessage): Record<string, unknown> {
  return {
    ...messageJson({ ...message, content: [], stopDetails: undefined }),
    stop_reason: null,
    // The real API sends a placeholder here; the last message_delta is what counts.
    usage: { ...message.usage, output_tokens: 1 },
  };
}

function messageDeltaOf({ stopReason, stopDetails, usage }: AssistantMessage): SseRecord {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const delta = {
    stop_reason: stopReason,
    stop_sequence: null,
    ...(stopDetails === undefined ? {} : { stop_details: stopDetails }),
  };
  const cumulative = {
    ...{ input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens },
    ...(usage.server_tool_use && { server_tool_use: usage.server_tool_use }),
  };
  return record('message_delta', { delta, usage: cumulative }, 0, output_tokens);
}

function emptyBlock(block: AssistantBlock): Record<string, unknown> {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'other':
      return { ...block.block, ...streamedApart(block.block) };
    case 'tool_use':
    case 'server_tool_use':
      return { type: block.type, id: block.id, name: block.name, input: {} };
  }
}

/** What of a block comes in pieces is empty at its start. */
function streamedApart({ type, input, text, citations }: Record<string, unknown>): Record<string, unknown> {
  if (String(type).endsWith('tool_use') && input !== undefined) return { input: {} };
  if (type !== 'text' || typeof text !== 'string') return {};
  return { text: '', ...(Array.isArray(citations) && { citations: [] }) };
}

interface Delta {
  delta: Record<string, unknown>;
  /** Its share of the tokens, as a fraction: pieces are shorter than tokens are long. */
  tokens: number;
}

function deltasOf(block: AssistantBlock, random: () => number): Delta[] {
  switch (block.type) {
    case 'thinking': {
      const shown = piecesOf(block.thinking, random).map((thinking) => ({
        delta: { type: 'thinking_delta', thinking },
        tokens: share(thinking),
      }));
      const hiddenTokens = block.thinking === '' ? block.tokens : 0;
      return [
        ...shown,
        { delta: { type: 'signature_delta', signature: block.signature }, tokens: hiddenTokens },
      ];
    }
    case 'text':
      return textDeltas(block.text, random);
    case 'other':
      return otherDeltas(block.block, random);
    case 'tool_use':
    case 'server_tool_use':
      return inputDeltas(block.name, block.json, random);
  }
}

function textDeltas(whole: string, random: () => number): Delta[] {
  return piecesOf(whole, random).map((text) => ({
    delta: { type: 'text_delta', text },
    tokens: share(text),
  }));
}

function inputDeltas(name: string, whole: string, random: () => number): Delta[] {
  return ['', ...piecesOf(whole, random)].map((json) => ({
    delta: { type: 'input_json_delta', partial_json: json },
    tokens: json === '' ? share(name) : share(json),
  }));
}

function otherDeltas(block: Record<string, unknown>, random: () => number): Delta[] {
  const apart = streamedApart(block);
  if ('input' in apart) return inputDeltas(String(block['name']), JSON.stringify(block['input']), random);
  if (!('text' in apart)) return [];
  const citations = (block['citations'] ?? []) as unknown[];
  return [
    ...textDeltas(String(block['text']), random),
    ...citations.map((citation) => ({ delta: { type: 'citations_delta', citation }, tokens: 0 })),
  ];
}

function share(text: string): number {
  return text.length / CHARACTERS_PER_TOKEN;
}

/** Splits a text between code points into pieces of 6 to 20 (longer in a long text), as the seed decides. */
function piecesOf(text: string, random: () => number): string[] {
  const characters = Array.from(text);
  const least = Math.max(6, Math.ceil(characters.length / MAX_PIECES));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length;) {
    const length = least + Math.floor(random() * 15);
    pieces.push(characters.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}
