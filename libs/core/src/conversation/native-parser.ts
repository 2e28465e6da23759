/**
 * The native tool-call parser: chunks of one answer become content blocks and tool calls. One instance belongs to one
 * request; no state is shared. Blocks are kept apart by index, so interleaved parallel calls do not mix.
 */
import { isBlank, type ContentBlock, type Json, type TokenUsage } from '@bullpen/contracts';
import { isWholeEnd, PAUSED } from '../task/answer-end.js';
import type { ModelChunk, ModelError } from '../ports/model.js';
import type { ServiceTerms } from '../task/prices.js';
import { cleanJson, cleanText, preview } from '../task/text.js';
import { withoutUnanswered } from './provider-blocks.js';

/** A tool call as the model asked for it. `problem` says why its arguments must not be used. */
export interface ParsedToolCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly rawArguments: string;
  readonly arguments: Json | null;
  readonly problem: string | null;
}

/**
 * A parsed answer. `complete` is false for a stream that broke off before it said why it ends: then only blocks that had ended are
 * in it. `content` never holds empty text, and its tool ids are legal and unique within `takenIds`. Only a whole answer has calls
 * without a `problem`.
 */
export interface ParsedAnswer {
  readonly content: readonly ContentBlock[];
  readonly toolCalls: readonly ParsedToolCall[];
  readonly text: string;
  readonly reasoning: string;
  readonly stopReason: string | null;
  readonly usage: TokenUsage | null;
  readonly terms: ServiceTerms | null;
  /** A usage figure is not a count, and was rounded or left out. */
  readonly usageDoubtful: boolean;
  readonly complete: boolean;
  readonly error: ModelError | null;
  readonly providerRequestId: string | null;
  readonly simulated: boolean;
}

type JsonFields = Readonly<Record<string, Json>>;

type OpenBlock =
  | { kind: 'text'; text: string; ended: boolean }
  | { kind: 'thinking'; text: string; signature: string; ended: boolean }
  | { kind: 'redacted'; data: string; ended: boolean }
  | { kind: 'provider'; block: JsonFields; ended: boolean }
  /** `begun` is false while only pieces of it have arrived and nothing says that they belong to a call. */
  | {
      kind: 'tool';
      id: string;
      name: string;
      input: string;
      json: string;
      begun: boolean;
      ended: boolean;
      problem: string | null;
    };

/** Collects the chunks of one answer. `push` them all, then `finish` once. */
export class AnswerParser {
  private readonly blocks = new Map<number, OpenBlock>();
  /** What else the blocks say of themselves. */
  private readonly fields = new Map<number, JsonFields>();
  private usage: TokenUsage | null = null;
  private terms: ServiceTerms | null = null;
  private usageDoubtful = false;
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
      case 'provider_block':
        this.blocks.set(chunk.index, { kind: 'provider', block: chunk.block, ended: false });
        break;
      case 'fields':
        this.fields.set(chunk.index, { ...this.fields.get(chunk.index), ...chunk.fields });
        break;
      case 'tool_call_start':
        this.startCall(chunk);
        break;
      case 'tool_call_delta':
        this.call(chunk.index).json += chunk.json;
        break;
      case 'tool_call_end':
        this.end(chunk.index, chunk.problem);
        break;
      case 'block_end':
        this.end(chunk.index);
        break;
      case 'usage':
        this.usage = chunk.usage;
        this.terms = chunk.terms ?? this.terms;
        this.usageDoubtful = chunk.doubtful === true;
        break;
      case 'restart':
        this.blocks.clear();
        this.fields.clear();
        break;
      case 'stop':
        this.stopReason = chunk.stopReason;
        break;
      case 'response':
        this.providerRequestId = cleanId(chunk.providerRequestId);
        this.simulated = chunk.simulated;
        break;
      case 'error':
        this.error = {
          ...chunk.error,
          message: preview(cleanText(chunk.error.message), MAX_ERROR),
          providerRequestId: cleanId(chunk.error.providerRequestId),
        };
        break;
    }
  }

  /** The answer. `takenIds` are the tool ids of earlier messages: a repeated id gets a suffix, so that results pair up. */
  finish(takenIds: ReadonlySet<string>): ParsedAnswer {
    const complete = this.stopReason !== null && this.error === null;
    const kept = [...this.blocks.entries()]
      .sort(([a], [b]) => a - b)
      .filter(([, block]) => block.kind !== 'tool' || block.begun);
    const { content, toolCalls } = this.contentOf(
      complete ? kept : kept.filter(([, block]) => block.ended),
      takenIds,
    );
    return {
      content,
      toolCalls,
      text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
      reasoning: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n'),
      stopReason: this.stopReason === null ? null : preview(cleanText(this.stopReason), 100),
      usage: this.usage,
      terms: this.terms,
      usageDoubtful: this.usageDoubtful,
      complete,
      error: this.error,
      providerRequestId: this.providerRequestId,
      simulated: this.simulated,
    };
  }

  private contentOf(kept: readonly (readonly [number, OpenBlock])[], takenIds: ReadonlySet<string>) {
    const content: ContentBlock[] = [];
    const toolCalls: ParsedToolCall[] = [];
    const fresh = new Set<string>();
    const isTaken = (id: string) => takenIds.has(id) || fresh.has(id);
    const cut = this.cutReason(kept.map(([, block]) => block));
    for (const [index, block] of kept) {
      const others = cleanFields(this.fields.get(index) ?? {});
      if (block.kind === 'tool') {
        const { call, input } = toolCallOf(block, cut, isTaken);
        fresh.add(call.toolUseId);
        toolCalls.push(call);
        content.push({ type: 'tool_use', id: call.toolUseId, name: call.tool, input, ...others });
      } else {
        const stored = contentOf(block);
        if (stored) content.push({ ...stored, ...others });
      }
    }
    const isLost = cut !== null && this.stopReason !== PAUSED;
    return { content: isLost ? withoutUnanswered(content) : content, toolCalls };
  }

  /** Why no call of this answer may run; null when it is whole. */
  private cutReason(blocks: readonly OpenBlock[]): string | null {
    const hasCalls = blocks.some(({ kind }) => kind === 'tool');
    if (this.error === null && isWholeEnd(this.stopReason, hasCalls)) return null;
    return this.stopReason === 'max_tokens' ? CUT_BY_LIMIT : CUT;
  }

  private startCall({ index, id, name, input = '' }: Extract<ModelChunk, { type: 'tool_call_start' }>): void {
    // Pieces may have come before the start that says whose they are.
    Object.assign(this.call(index), { id, name, input, begun: true });
  }

  private end(index: number, problem?: string): void {
    const block = this.blocks.get(index);
    if (block === undefined) return;
    block.ended = true;
    if (block.kind === 'tool' && problem !== undefined) block.problem = problem;
  }

  private call(index: number): OpenBlock & { kind: 'tool' } {
    const present = this.blocks.get(index);
    if (present?.kind === 'tool') return present;
    const call = {
      ...{ kind: 'tool' as const, id: '', name: '', input: '', json: '' },
      ...{ begun: false, ended: false, problem: null },
    };
    this.blocks.set(index, call);
    return call;
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
    // It may arrive in pieces, and it may arrive twice.
    if (chunk.signature !== undefined && chunk.signature !== block.signature)
      block.signature += chunk.signature;
  }
}

/** Longest text of an error that is kept, in characters. */
const MAX_ERROR = 4_000;

function cleanId(id: string | null): string | null {
  return id === null ? null : preview(cleanText(id), 200);
}

const CUT_BY_LIMIT =
  'Your answer was cut off by the output token limit, so this call was not run. Try again in smaller steps.';
const CUT =
  'Your answer was cut off before it was complete, so this call was not run. Make it again if it is still needed.';

/** Fields as they can be kept; none of what is too deep for that. */
function cleanFields(fields: JsonFields): JsonFields {
  return (cleanJson(fields as Json)?.value ?? {}) as JsonFields;
}

/**
 * The stored form of a block that is not a tool call; null for one that the provider would refuse (empty text, unsigned thinking).
 */
function contentOf(block: Exclude<OpenBlock, { kind: 'tool' }>): ContentBlock | null {
  switch (block.kind) {
    case 'text':
      return isBlank(block.text) ? null : { type: 'text', text: cleanText(block.text) };
    case 'thinking':
      return block.signature === ''
        ? null
        : { type: 'thinking', thinking: cleanText(block.text), signature: cleanText(block.signature) };
    case 'provider': {
      const whole = cleanFields(block.block);
      return Object.keys(whole).length === 0 ? null : { type: 'provider', block: { ...whole } };
    }
    case 'redacted':
      return block.data === '' ? null : { type: 'redacted_thinking', data: cleanText(block.data) };
  }
}

/** A call, and what the history shows as its arguments: what could be read of them, even if they must not be used. */
function toolCallOf(
  block: OpenBlock & { kind: 'tool' },
  cut: string | null,
  isTaken: (id: string) => boolean,
): { call: ParsedToolCall; input: Json } {
  const rawArguments = cleanText(isBlank(block.json) ? block.input : block.json);
  const parsed = parseArguments(rawArguments);
  const tool = legalName(block.name);
  const problem =
    cut ?? nameProblem(block.name, tool) ?? block.problem ?? argumentsProblem(parsed, rawArguments);
  const call = {
    toolUseId: uniqueId(block.id, isTaken),
    tool,
    rawArguments,
    arguments: problem === null ? parsed : null,
    problem,
  };
  return { call, input: parsed ?? {} };
}

function argumentsProblem(parsed: Json | null, raw: string): string | null {
  return parsed === null ? `The arguments are not a JSON object: ${preview(raw, 500)}` : null;
}

/** Empty argument text means no arguments. Null for anything that is not a JSON object, or cannot be kept. */
function parseArguments(raw: string): { [key: string]: Json } | null {
  if (isBlank(raw)) return {};
  try {
    const value = cleanJson(JSON.parse(raw) as Json)?.value ?? null;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null; // The caller turns this into an error result that carries the raw text.
  }
}

/** Longest id and name that are kept. */
const MAX_NAME = 128;

/** A name that may stand in a history (`^[a-zA-Z0-9_-]{1,128}$`, the provider's pattern). */
function legalName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) || 'unnamed';
}

/** If the name of a call had to be changed, it calls no tool, even if the changed name is one. */
function nameProblem(name: string, legal: string): string | null {
  if (name === legal) return null;
  return name === ''
    ? 'The call had no tool name, so it is not clear which tool you meant. Make the call again.'
    : `There is no tool named ${JSON.stringify(preview(cleanText(name), 200))}. Call a tool by its exact name.`;
}

/** A legal id (`^[a-zA-Z0-9_-]+$`, the provider's pattern) that no earlier call of the task has. */
function uniqueId(id: string, isTaken: (id: string) => boolean): string {
  const legal = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) || 'call';
  let unique = legal;
  for (let n = 2; isTaken(unique); n += 1) unique = `${legal}_${n}`;
  return unique;
}
