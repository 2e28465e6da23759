/**
 * The parser of the dialect for models without tool calls of their own: calls that stand in the text become the same chunks that a
 * native call gives, so that nothing downstream knows the difference. One instance belongs to one request.
 */
import type { ModelChunk, ToolDefinition } from '../ports/model.js';
import { CallReader, type CallSink } from './xml/call-reader.js';
import { offeredTools, type OfferedTool } from './xml/offered-tool.js';
import { Prose } from './xml/prose.js';
import { Tokenizer } from './xml/tokens.js';

/** The chunks of an answer, with the calls of `tools` taken out of its texts. `callId` names them; ids must be new in the task. */
export async function* withCallsInText(
  chunks: AsyncIterable<ModelChunk>,
  tools: readonly ToolDefinition[],
  callId: (number: number) => string,
): AsyncGenerator<ModelChunk> {
  const parser = new TextCallParser(tools, callId);
  for await (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.end();
}

/** Blocks are numbered anew, in the order in which they begin: one text can become many. */
export class TextCallParser {
  private readonly texts = new Map<number, TextBlock>();
  private readonly indexes = new Map<number, number>();
  private nextIndex = 0;
  private calls = 0;
  private stopped = false;

  private readonly tools: ReadonlyMap<string, OfferedTool>;

  constructor(
    tools: readonly ToolDefinition[],
    private readonly callId: (number: number) => string,
  ) {
    this.tools = offeredTools(tools);
  }

  push(chunk: ModelChunk): readonly ModelChunk[] {
    switch (chunk.type) {
      case 'text':
        return this.textBlock(chunk.index).push(chunk.text);
      case 'block_end':
        return this.endText(chunk.index) ?? [{ ...chunk, index: this.indexOf(chunk.index) }];
      // A text becomes several blocks: nothing says which of them it belongs to.
      case 'fields':
        return [];
      case 'reasoning':
      case 'provider_block':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_call_end':
        return [{ ...chunk, index: this.indexOf(chunk.index) }];
      case 'restart':
        this.texts.clear();
        this.indexes.clear();
        return [chunk];
      case 'stop':
        this.stopped = true;
        return [chunk];
      case 'usage':
      case 'response':
      case 'error':
        return [chunk];
    }
  }

  /** The stream is over. In an answer that says how it ends, its texts end with it; one that was cut has lost what was open. */
  end(): readonly ModelChunk[] {
    return this.stopped ? [...this.texts.keys()].flatMap((index) => this.endText(index) ?? []) : [];
  }

  private textBlock(index: number): TextBlock {
    const present = this.texts.get(index);
    if (present) return present;
    const block = new TextBlock(
      this.tools,
      () => this.nextIndex++,
      () => this.callId((this.calls += 1)),
    );
    this.texts.set(index, block);
    return block;
  }

  private endText(index: number): readonly ModelChunk[] | null {
    const block = this.texts.get(index);
    this.texts.delete(index);
    return block?.end() ?? null;
  }

  private indexOf(index: number): number {
    const known = this.indexes.get(index) ?? this.nextIndex++;
    this.indexes.set(index, known);
    return known;
  }
}

/** One text of the model: its words and calls as blocks of their own. */
class TextBlock implements CallSink {
  private readonly reader: CallReader;
  private readonly prose: Prose;
  private readonly tokenizer: Tokenizer;
  private chunks: ModelChunk[] = [];
  private readonly calls: number[] = [];
  private current: { readonly kind: 'words' | 'thoughts'; readonly index: number } | null = null;
  /** Pieces of the newest block that are not a chunk yet: many small ones become one. */
  private pieces: string[] = [];

  constructor(
    tools: ReadonlyMap<string, OfferedTool>,
    private readonly newIndex: () => number,
    private readonly newId: () => string,
  ) {
    this.reader = new CallReader(tools, this);
    this.prose = new Prose(this.reader);
    this.tokenizer = new Tokenizer((token) => this.prose.push(token));
  }

  push(text: string): readonly ModelChunk[] {
    this.tokenizer.push(text);
    return this.taken();
  }

  end(): readonly ModelChunk[] {
    this.tokenizer.end();
    this.reader.end(this.prose.end());
    this.endBlock();
    return this.taken();
  }

  text(piece: string): void {
    this.add('words', piece);
  }

  thought(piece: string): void {
    this.add('thoughts', piece);
  }

  open(name: string): void {
    this.endBlock();
    const index = this.newIndex();
    this.calls.push(index);
    this.chunks.push({ type: 'tool_call_start', index, id: this.newId(), name });
  }

  json(piece: string): void {
    this.pieces.push(piece);
  }

  close(problem: string | null): void {
    this.flush();
    this.endCall(this.calls.at(-1), problem);
  }

  refuse(problem: string): void {
    this.flush();
    this.calls.forEach((index) => this.endCall(index, problem));
  }

  private add(kind: 'words' | 'thoughts', piece: string): void {
    if (this.current?.kind !== kind) {
      this.endBlock();
      this.current = { kind, index: this.newIndex() };
    }
    this.pieces.push(piece);
  }

  private endCall(index: number | undefined, problem: string | null): void {
    if (index !== undefined)
      this.chunks.push({ type: 'tool_call_end', index, ...(problem === null ? {} : { problem }) });
  }

  private endBlock(): void {
    this.flush();
    if (this.current !== null) this.chunks.push({ type: 'block_end', index: this.current.index });
    this.current = null;
  }

  private flush(): void {
    const piece = this.pieces.join('');
    this.pieces = [];
    if (piece === '') return;
    if (this.current?.kind === 'words')
      this.chunks.push({ type: 'text', index: this.current.index, text: piece });
    else if (this.current?.kind === 'thoughts')
      this.chunks.push({ type: 'reasoning', index: this.current.index, text: piece });
    else this.chunks.push({ type: 'tool_call_delta', index: this.calls.at(-1) ?? 0, json: piece });
  }

  private taken(): readonly ModelChunk[] {
    this.flush();
    const { chunks } = this;
    this.chunks = [];
    return chunks;
  }
}
