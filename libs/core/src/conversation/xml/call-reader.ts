/**
 * Finds the calls in an answer. Only the name of a tool on offer, with one of its parameters or its end behind it, begins a call.
 * A value ends at the closing tag of its parameter that has the end of the call or another parameter behind it, so it may hold that
 * tag; where more than one reading is possible, nothing is run.
 */
import type { OfferedTool } from './offered-tool.js';
import { ambiguous, endlessValue, inThoughts, strayEnd, unclosed } from './problems.js';
import type { ProseReader } from './prose.js';
import type { Tag, Token } from './tokens.js';
import { ValueWriter } from './value-writer.js';

/** What is found, in the order of the text. */
export interface CallSink {
  text(piece: string): void;
  thought(piece: string): void;
  open(tool: string): void;
  /** Pieces of the arguments as JSON. */
  json(piece: string): void;
  /** The open call is over. */
  close(problem: string | null): void;
  /** None of the calls so far may run. */
  refuse(problem: string): void;
}

type Place =
  | { readonly kind: 'prose' }
  /** Behind a tag that may begin a call. */
  | { readonly kind: 'opening'; readonly tool: OfferedTool; readonly startsLine: boolean; held: string }
  | { readonly kind: 'thought'; readonly name: string }
  | ValuePlace;

interface ValuePlace {
  readonly kind: 'value';
  readonly tool: OfferedTool;
  readonly given: Set<string>;
  readonly name: string;
  readonly value: ValueWriter;
  /** Whole calls that have begun within the value and not ended. */
  nested: number;
  /** The last tag, if it may mean something together with the next: nothing but blanks came behind it. */
  gap: { readonly tag: Tag; blanks: string } | null;
}

const PROSE: Place = { kind: 'prose' };
const THOUGHTS = ['think', 'thinking'];

export class CallReader implements ProseReader {
  private place: Place = PROSE;
  /** Tools of which a whole call has come. */
  private readonly called = new Set<string>();
  /** A tool whose tag began a line without a call behind it. */
  private unread: OfferedTool | null = null;
  /** In the code that is being read: beginnings of calls without an end, and tools of which it has an end. */
  private readonly begunInCode = new Map<string, number>();
  private readonly endedInCode = new Set<string>();

  constructor(
    private readonly tools: ReadonlyMap<string, OfferedTool>,
    private readonly sink: CallSink,
  ) {}

  get isInside(): boolean {
    return this.place.kind !== 'prose' && this.place.kind !== 'opening';
  }

  word(token: Token, startsLine: boolean): void {
    const { place } = this;
    if (place.kind === 'opening') {
      if (isBlank(token)) {
        place.held += token.raw;
        return;
      }
      if (this.begins(place.tool, token)) return;
      this.giveUp(place);
    }
    if (token.kind === 'tag') this.tag(token, startsLine);
    else this.sink.text(token.raw);
  }

  code(token: Token): void {
    if (this.place.kind === 'opening') this.giveUp(this.place);
    this.sink.text(token.raw);
    if (token.kind !== 'tag' || !this.tools.has(token.name)) return;
    const begun = this.begunInCode.get(token.name) ?? 0;
    if (token.form === 'open') this.begunInCode.set(token.name, begun + 1);
    if (token.form !== 'close') return;
    this.endedInCode.add(token.name);
    if (begun > 0) this.begunInCode.set(token.name, begun - 1);
    else this.doubt(token.name);
  }

  codeEnd(): void {
    this.begunInCode.clear();
    this.endedInCode.clear();
  }

  inside(token: Token): void {
    const { place } = this;
    if (place.kind === 'value') this.value(place, token);
    else if (place.kind !== 'thought') return;
    else if (isTag(token, 'close', place.name)) this.place = PROSE;
    else this.sink.thought(token.raw);
  }

  /** Nothing more comes. */
  end(withinFence: boolean): void {
    const { place } = this;
    // What looks like a code block may be the rest of a value that was taken for ended.
    if (withinFence) this.endedInCode.forEach((name) => this.doubt(name));
    switch (place.kind) {
      case 'opening':
        this.emptyCall(place.tool, unclosed(place.tool));
        break;
      case 'value':
        this.writeGap(place);
        place.value.end();
        this.close(place.tool, endlessValue(place.tool, place.name));
        break;
      case 'prose':
      case 'thought':
        if (this.unread !== null) this.emptyCall(this.unread, unclosed(this.unread));
    }
  }

  private tag(tag: Tag, startsLine: boolean): void {
    const tool = this.tools.get(tag.name);
    if (tool !== undefined) {
      if (tag.form === 'open') this.place = { kind: 'opening', tool, startsLine, held: tag.raw };
      else if (tag.form === 'empty') this.emptyCall(tool, null);
      else this.strayEnd(tool, tag);
      return;
    }
    const isThought = THOUGHTS.includes(tag.name);
    if (isThought && tag.form === 'open' && startsLine) {
      this.place = { kind: 'thought', name: tag.name };
      return;
    }
    // Some models' thoughts come without their beginning.
    if (isThought && tag.form === 'close') this.sink.refuse(inThoughts(tag.name));
    this.sink.text(tag.raw);
  }

  /** Takes the first token behind the tag of a tool, if that makes it a call. */
  private begins(tool: OfferedTool, token: Token): boolean {
    if (isTag(token, 'close', tool.definition.name)) this.emptyCall(tool, null);
    else if (token.kind === 'tag' && token.form === 'open' && tool.takes(token.name)) {
      this.open(tool);
      this.beginValue(tool, new Set(), token.name);
    } else return false;
    return true;
  }

  /** The tag was only mentioned. */
  private giveUp({ tool, startsLine, held }: Place & { kind: 'opening' }): void {
    this.sink.text(held);
    this.place = PROSE;
    if (startsLine) this.unread = tool;
  }

  /** The end of a call that has not begun: there is one that could not be read, or an earlier one went on up to here. */
  private strayEnd(tool: OfferedTool, tag: Tag): void {
    const { name } = tool.definition;
    if (this.unread === tool) this.unread = null;
    if (!this.called.has(name)) return this.emptyCall(tool, strayEnd(tool));
    this.sink.text(tag.raw);
    this.doubt(name);
  }

  /** Behind a call of this tool its end came once more, so the first may have been part of a value. */
  private doubt(name: string): void {
    if (this.called.has(name)) this.sink.refuse(ambiguous(name));
  }

  private open(tool: OfferedTool): void {
    this.sink.open(tool.definition.name);
    this.sink.json('{');
  }

  private close({ definition }: OfferedTool, problem: string | null): void {
    if (problem === null) this.called.add(definition.name);
    this.sink.json('}');
    this.sink.close(problem);
    this.place = PROSE;
  }

  /** A call without parameters. */
  private emptyCall(tool: OfferedTool, problem: string | null): void {
    this.open(tool);
    this.close(tool, problem);
  }

  private beginValue(tool: OfferedTool, given: Set<string>, name: string): void {
    const value = new ValueWriter(tool.definition.inputSchema, name, given.size === 0, this.sink);
    given.add(name);
    this.place = { kind: 'value', tool, given, name, value, nested: 0, gap: null };
  }

  private value(place: ValuePlace, token: Token): void {
    const { gap, tool } = place;
    if (gap !== null) {
      if (isBlank(token)) {
        gap.blanks += token.raw;
        return;
      }
      if (this.endsValue(place, gap.tag, token)) return;
      countNested(place, gap.tag, token);
      this.writeGap(place);
    }
    const mayMatter =
      token.kind === 'tag' &&
      ((token.form === 'close' && tool.takes(token.name)) || isTag(token, 'open', tool.definition.name));
    if (mayMatter) place.gap = { tag: token, blanks: '' };
    else place.value.write(token.raw);
  }

  /** Whether both tags together end the value; then they are done with. */
  private endsValue({ tool, given, name, nested, value }: ValuePlace, tag: Tag, token: Token): boolean {
    if (nested > 0 || token.kind !== 'tag' || !isTag(tag, 'close', name)) return false;
    const endsCall = isTag(token, 'close', tool.definition.name);
    const isNext = token.form === 'open' && tool.takes(token.name) && !given.has(token.name);
    if (!endsCall && !isNext) return false;
    value.end();
    if (endsCall) this.close(tool, null);
    else this.beginValue(tool, given, token.name);
    return true;
  }

  private writeGap(place: ValuePlace): void {
    if (place.gap !== null) place.value.write(place.gap.tag.raw + place.gap.blanks);
    place.gap = null;
  }
}

/** Keeps count of calls of the same tool that a value quotes: their ends are not its own. */
function countNested(place: ValuePlace, tag: Tag, token: Token): void {
  const { tool } = place;
  const { name } = tool.definition;
  if (isTag(tag, 'open', name) && token.kind === 'tag' && token.form === 'open' && tool.takes(token.name))
    place.nested += 1;
  else if (tag.form === 'close' && tag.name !== name && isTag(token, 'close', name) && place.nested > 0)
    place.nested -= 1;
}

function isTag(token: Token, form: Tag['form'], name: string): boolean {
  return token.kind === 'tag' && token.form === form && token.name === name;
}

function isBlank({ raw }: Token): boolean {
  return raw.trim() === '';
}
