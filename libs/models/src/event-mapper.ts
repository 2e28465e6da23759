/**
 * The provider's stream events as the core's chunks. One mapper belongs to one answer. Nothing about an event is taken for granted:
 * a block is identified by its own start and stop, and we number blocks ourselves, in the order in which they start, because the
 * provider's number may be missing, used twice, or not a number. What cannot be placed gets its own block rather than being lost.
 */
import type { Json } from '@bullpen/contracts';
import type { ModelChunk } from '@bullpen/core';
import { otherFields, ProviderBlock } from './provider-block.js';
import type { WireEvent } from './wire-events.js';
import { ReportedUsage } from './wire-usage.js';
import { asFields, asJsonText, asString, asText, type Fields } from './wire-values.js';

/** `provider`: any block that is none of ours to read. */
type Kind = 'text' | 'thinking' | 'tool' | 'provider';

interface Block {
  readonly index: number;
  readonly kind: Kind;
  /** Of a tool call, as the provider sent it. */
  id: string;
  /** False for a block of which only deltas have come so far. */
  started: boolean;
  ended: boolean;
  /** What it has gathered, if it is the provider's. */
  provider: ProviderBlock | null;
  /** Of a text: what it quotes. */
  citations: Json[];
  /** Its start, to know it again. */
  start: string;
}

/** What a delta brings, and to which kind of block. */
const DELTAS: ReadonlyMap<string, Kind> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
  ['input_json_delta', 'tool'],
]);

/** A stop reason that is not a text. */
const UNREADABLE_REASON = 'unreadable';

/** Maps events in the order in which they come, and never throws. Blocks of kinds that nobody knows are kept whole; events and deltas of such kinds give no chunks. */
export class EventMapper {
  private readonly blocks: Block[] = [];
  private readonly named = new Map<string, Block>();
  private readonly usage = new ReportedUsage();
  private messageId: string | null = null;
  private stopped = false;
  private over = false;

  /** True once the reason for the end is known: the answer is complete, whatever happens to the connection. */
  get isComplete(): boolean {
    return this.stopped;
  }

  /** True when nothing that still comes belongs to this answer. */
  get isOver(): boolean {
    return this.over;
  }

  /** Chunks of one event; often one, sometimes none. */
  map({ type, fields }: WireEvent): readonly ModelChunk[] {
    if (this.over) return [];
    switch (type) {
      case 'message_start':
        return this.startMessage(asFields(fields['message']));
      case 'content_block_start':
        return this.startBlock(fields['index'], asFields(fields['content_block']));
      case 'content_block_delta':
        return this.continueBlock(fields['index'], asFields(fields['delta']));
      case 'content_block_stop':
        return this.endBlock(this.blockNamed(fields['index']));
      case 'message_delta':
        return [...this.report(fields['usage']), ...this.stop(asFields(fields['delta'])['stop_reason'])];
      case 'message_stop':
        return this.endMessage();
      default:
        return [];
    }
  }

  /**
   * A second message in one stream: a proxy asked again. If nothing of the first had been completed, the second replaces it.
   * Otherwise the first counts, and is cut here unless it had ended: taking both could run a call twice.
   */
  private startMessage(message: Fields): ModelChunk[] {
    const id = asText(message['id']);
    if (this.messageId === null || (id !== '' && id === this.messageId)) {
      this.messageId = id;
      return this.report(message['usage']);
    }
    if (this.stopped || this.blocks.some(({ ended }) => ended)) {
      this.over = true;
      return [];
    }
    this.messageId = id;
    this.blocks.length = 0;
    this.named.clear();
    this.usage.nextMessage();
    return [{ type: 'restart' }, ...this.report(message['usage'])];
  }

  private startBlock(wireIndex: unknown, block: Fields): ModelChunk[] {
    const kind = kindOf(block['type']);
    const key = keyOf(wireIndex);
    // Without a type the first delta tells what it is.
    if (kind === null) {
      if (key !== null) this.named.delete(key);
      return [];
    }
    const present = key === null ? undefined : this.named.get(key);
    const isOpen = present?.kind === kind && !present.ended;
    const id = asText(block['id']);
    if (isOpen && present.started && id !== '' && present.id === id) return []; // The same start once more.
    const start = JSON.stringify(block);
    // One of the provider's is wholly known by its start, also when it has ended.
    if (kind === 'provider' && present?.kind === kind && present.start === start) return [];
    const begun = isOpen && !present.started ? present : this.add(kind, key);
    Object.assign(begun, { id, started: true, start });
    if (kind === 'provider') begun.provider = new ProviderBlock(block);
    return startOf(begun, block);
  }

  private add(kind: Kind, key: string | null): Block {
    const none = { id: '', started: false, ended: false, provider: null, citations: [], start: '' };
    const block: Block = { index: this.blocks.length, kind, ...none };
    this.blocks.push(block);
    if (key !== null) this.named.set(key, block);
    return block;
  }

  private continueBlock(wireIndex: unknown, delta: Fields): ModelChunk[] {
    const type = asText(delta['type']);
    const named = this.blockNamed(wireIndex);
    if (named?.kind === 'provider') {
      if (!named.ended) named.provider?.push(delta);
      return [];
    }
    if (type === 'citations_delta') return cited(named, delta['citation']);
    const kind = DELTAS.get(type);
    if (kind === undefined) return [];
    const known = this.blockFor(wireIndex, kind);
    const block = known ?? this.add(kind, keyOf(wireIndex));
    return deltaOf(block.index, type, delta);
  }

  /** The block that a delta belongs to: the one with its number, or else the only open one that fits. */
  private blockFor(wireIndex: unknown, kind: Kind): Block | null {
    const named = this.blockNamed(wireIndex);
    if (named?.kind === kind) return named;
    const open = this.blocks.filter((block) => block.kind === kind && !block.ended);
    return open.length === 1 ? (open[0] ?? null) : null;
  }

  /** The block with a number; the newest open one if there is no number. */
  private blockNamed(wireIndex: unknown): Block | null {
    const key = keyOf(wireIndex);
    const found = key === null ? this.blocks.findLast(({ ended }) => !ended) : this.named.get(key);
    return found ?? null;
  }

  private endBlock(block: Block | null): ModelChunk[] {
    if (block === null || block.ended) return [];
    block.ended = true;
    const { index, kind } = block;
    return [...wholeOf(block), { type: kind === 'tool' ? 'tool_call_end' : 'block_end', index }];
  }

  private stop(reason: unknown): ModelChunk[] {
    if (reason === null || reason === undefined || this.stopped) return [];
    this.stopped = true;
    // The connection may be gone before they end.
    const open = this.blocks.filter(({ ended }) => !ended).flatMap(wholeOf);
    return [...open, { type: 'stop', stopReason: asText(reason) || UNREADABLE_REASON }];
  }

  /** With the message its blocks have ended, too. */
  private endMessage(): ModelChunk[] {
    this.over = true;
    return this.blocks.flatMap((block) => this.endBlock(block));
  }

  private report(usage: unknown): ModelChunk[] {
    if (usage === undefined || usage === null) return [];
    this.usage.report(usage);
    const { total, terms, isDoubtful } = this.usage;
    return [
      { type: 'usage', usage: total, ...(terms ? { terms } : {}), ...(isDoubtful ? { doubtful: true } : {}) },
    ];
  }
}

/** What a block of the provider is so far. */
function wholeOf({ index, provider }: Block): ModelChunk[] {
  const block = provider?.whole() ?? null;
  return block === null ? [] : [{ type: 'provider_block', index, block }];
}

/** A quotation of a text; they come one by one, and belong to it together. */
function cited(block: Block | null, citation: unknown): ModelChunk[] {
  if (block?.kind !== 'text' || typeof citation !== 'object' || citation === null) return [];
  block.citations.push(citation as Json);
  return [{ type: 'fields', index: block.index, fields: { citations: [...block.citations] } }];
}

function startOf(begun: Block, block: Fields): ModelChunk[] {
  if (begun.kind === 'provider') return [];
  const fields = otherFields(begun.kind, block);
  if (Array.isArray(fields['citations'])) begun.citations.push(...fields['citations']);
  const others: ModelChunk[] =
    Object.keys(fields).length === 0 ? [] : [{ type: 'fields', index: begun.index, fields }];
  return [...knownOf(begun, block), ...others];
}

function knownOf({ index, kind, id }: Block, block: Fields): ModelChunk[] {
  switch (kind) {
    case 'text': {
      const text = asText(block['text']);
      return text === '' ? [] : [{ type: 'text', index, text }];
    }
    case 'thinking':
      return thinkingOf(index, block);
    case 'tool':
      return [
        { type: 'tool_call_start', index, id, name: asText(block['name']), ...inputOf(block['input']) },
      ];
    case 'provider':
      return [];
  }
}

/** A block whose text is withheld may hold nothing but its signature, which comes as a delta or with the start. */
function thinkingOf(index: number, block: Fields): ModelChunk[] {
  if (block['type'] === 'redacted_thinking')
    return [{ type: 'reasoning', index, text: '', redacted: asString(block['data']) }];
  const [text, signature] = [asText(block['thinking']), asString(block['signature'])];
  if (text === '' && signature === '') return [];
  return [{ type: 'reasoning', index, text, ...(signature === '' ? {} : { signature }) }];
}

/** Arguments that come with the start, as text; the usual `{}` there means nothing. */
function inputOf(value: unknown): { input?: string } {
  const input = asJsonText(value);
  return input === '' || input === '{}' ? {} : { input };
}

function deltaOf(index: number, type: string, delta: Fields): ModelChunk[] {
  switch (type) {
    case 'text_delta':
      return [{ type: 'text', index, text: asText(delta['text']) }];
    case 'thinking_delta':
      return [{ type: 'reasoning', index, text: asText(delta['thinking']) }];
    case 'signature_delta':
      return [{ type: 'reasoning', index, text: '', signature: asString(delta['signature']) }];
    default:
      return [{ type: 'tool_call_delta', index, json: asJsonText(delta['partial_json']) }];
  }
}

/** Null: the block does not say what it is. */
function kindOf(type: unknown): Kind | null {
  switch (type) {
    case 'text':
      return 'text';
    case 'thinking':
    case 'redacted_thinking':
      return 'thinking';
    case 'tool_use':
      return 'tool';
    default:
      return typeof type === 'string' && type !== '' ? 'provider' : null;
  }
}

/** `1` and `"1"` are the same number of a block; anything that is neither text nor number is not a number. */
function keyOf(wireIndex: unknown): string | null {
  const key = asText(wireIndex);
  return key === '' ? null : key;
}
