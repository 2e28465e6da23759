/**
 * The native tool-call parser: chunks of one answer become content blocks and tool calls. One instance belongs to one
 * request; no state is shared. Blocks are kept apart by index, so interleaved parallel calls do not mix.
 */
import type { ContentBlock, Json, TokenUsage } from '@bullpen/contracts';
import type { ModelChunk, ModelError, ServiceTerms } from './model.js';
import { cleanText } from './text.js';

/** A tool call as the model asked for it. `problem` says why its arguments must not be used. */
export interface ParsedToolCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly rawArguments: string;
  readonly arguments: Json | null;
  readonly problem: string | null;
}

/**
 * A parsed answer. `complete` is false for a stream that was cut or broke off: then only blocks that had ended are in it.
 * `content` never holds empty text, and its tool ids are legal and unique within `takenIds`.
 */
export interface ParsedAnswer {
  readonly content: readonly ContentBlock[];
  readonly toolCalls: readonly ParsedToolCall[];
  readonly text: string;
  readonly reasoning: string;
  readonly stopReason: string | null;
  readonly usage: TokenUsage | null;
  readonly terms: ServiceTerms | null;
  readonly complete: boolean;
  readonly error: ModelError | null;
  readonly providerRequestId: string | null;
  readonly simulated: boolean;
}

type OpenBlock =
  | { kind: 'text'; text: string; ended: boolean }
  | { kind: 'thinking'; text: string; signature: string; ended: boolean }
  | { kind: 'redacted'; data: string; ended: boolean }
  | { kind: 'tool'; id: string; name: string; json: string; ended: boolean };

/** Collects the chunks of one answer. `push` them all, then `finish` once. */
export class AnswerParser {
  private readonly blocks = new Map<number, OpenBlock>();
  private usage: TokenUsage | null = null;
  private terms: ServiceTerms | null = null;
  private stopReason: string | null = null;
  private error: ModelError | null = null;
  private providerRequestId: string | null = null;
  private simulated = false;

  push(chunk: ModelChunk): void {
    switch (chunk.type) {
      case 'text':
        this.append(chunk.index, { kind: 'text', text: chunk.text, ended: false });
        break;
      case 'reasoning':
        this.appendReasoning(chunk);
        break;
      case 'tool_call_start':
        this.blocks.set(chunk.index, {
          kind: 'tool',
          id: chunk.id,
          name: chunk.name,
          json: '',
          ended: false,
        });
        break;
      case 'tool_call_delta': {
        const block = this.blocks.get(chunk.index);
        if (block?.kind === 'tool') block.json += chunk.json;
        break;
      }
      case 'tool_call_end':
      case 'block_end': {
        const block = this.blocks.get(chunk.index);
        if (block) block.ended = true;
        break;
      }
      case 'usage':
        this.usage = chunk.usage;
        this.terms = chunk.terms ?? this.terms;
        break;
      case 'stop':
        this.stopReason = chunk.stopReason;
        break;
      case 'response':
        this.providerRequestId = chunk.providerRequestId;
        this.simulated = chunk.simulated;
        break;
      case 'error':
        this.error = chunk.error;
        break;
    }
  }

  /** The answer. `takenIds` are the tool ids of earlier messages: a repeated id gets a suffix, so that results pair up. */
  finish(takenIds: ReadonlySet<string>): ParsedAnswer {
    const complete = this.stopReason !== null && this.error === null;
    const kept = [...this.blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
    const usable = complete ? kept : kept.filter((block) => block.ended);
    const content: ContentBlock[] = [];
    const toolCalls: ParsedToolCall[] = [];
    const fresh = new Set<string>();
    const isTaken = (id: string) => takenIds.has(id) || fresh.has(id);
    for (const block of usable) {
      // The provider closes the block that its token limit cut, so being ended proves nothing there.
      const cutByLimit = this.stopReason === 'max_tokens' && block === kept.at(-1);
      if (block.kind === 'tool') {
        const call = toolCallOf(block, cutByLimit, isTaken);
        fresh.add(call.toolUseId);
        toolCalls.push(call);
        content.push({ type: 'tool_use', id: call.toolUseId, name: call.tool, input: call.arguments ?? {} });
      } else {
        const stored = contentOf(block);
        if (stored) content.push(stored);
      }
    }
    return {
      content,
      toolCalls,
      text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
      reasoning: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n'),
      stopReason: this.stopReason,
      usage: this.usage,
      terms: this.terms,
      complete,
      error: this.error,
      providerRequestId: this.providerRequestId,
      simulated: this.simulated,
    };
  }

  private append(index: number, fresh: OpenBlock & { kind: 'text' }): void {
    const block = this.blocks.get(index);
    if (block?.kind === 'text') block.text += fresh.text;
    else this.blocks.set(index, fresh);
  }

  private appendReasoning(chunk: Extract<ModelChunk, { type: 'reasoning' }>): void {
    if (chunk.redacted !== undefined) {
      this.blocks.set(chunk.index, { kind: 'redacted', data: chunk.redacted, ended: false });
      return;
    }
    let block = this.blocks.get(chunk.index);
    if (block?.kind !== 'thinking') {
      block = { kind: 'thinking', text: '', signature: '', ended: false };
      this.blocks.set(chunk.index, block);
    }
    block.text += chunk.text;
    block.signature += chunk.signature ?? '';
  }
}

/** The stored form of a block that is no tool call; null for one that the provider would refuse (empty text, unsigned thinking). */
function contentOf(block: Exclude<OpenBlock, { kind: 'tool' }>): ContentBlock | null {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === '' ? null : { type: 'text', text: cleanText(block.text) };
    case 'thinking':
      return block.signature === ''
        ? null
        : { type: 'thinking', thinking: block.text, signature: block.signature };
    case 'redacted':
      return { type: 'redacted_thinking', data: block.data };
  }
}

function toolCallOf(
  block: OpenBlock & { kind: 'tool' },
  cut: boolean,
  isTaken: (id: string) => boolean,
): ParsedToolCall {
  const toolUseId = uniqueId(block.id, isTaken);
  const rawArguments = cleanText(block.json);
  const parsed = parseArguments(rawArguments);
  const problem = cut
    ? 'The call was cut off by the output token limit and was not run. Do it in smaller steps.'
    : parsed === null
      ? `The arguments are not a JSON object: ${rawArguments.slice(0, 500)}`
      : null;
  return { toolUseId, tool: block.name, rawArguments, arguments: problem === null ? parsed : null, problem };
}

/** Empty argument text means no arguments. Null for anything that is not a JSON object. */
function parseArguments(raw: string): { [key: string]: Json } | null {
  if (raw.trim() === '') return {};
  try {
    const value = JSON.parse(raw) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null; // The caller turns this into an error result that carries the raw text.
  }
}

/** A legal id (`^[a-zA-Z0-9_-]+$`, the provider's pattern) that no earlier call of the task has. */
function uniqueId(id: string, isTaken: (id: string) => boolean): string {
  const legal = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  let unique = legal;
  for (let n = 2; isTaken(unique); n += 1) unique = `${legal}_${n}`;
  return unique;
}
