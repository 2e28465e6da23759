/**
 * What may come of a stream, found out of the bytes that arrived, and written apart from the parsers: it reads them all at once, with
 * plain searches, and knows no state.
 */
import type { Stream } from './streams.js';

export interface Allowed {
  /** The answer has said that it ends, and that it is whole: only then may a call run. */
  readonly mayRun: boolean;
  /** How often the word has arrived. */
  countOf(word: string): number;
  /** Whether a call with these arguments has arrived from its beginning to its end. */
  hasArrived(tool: string, input: unknown): boolean;
}

interface Event {
  readonly type?: string;
  readonly index?: number;
  readonly content_block?: { readonly type?: string; readonly text?: string; readonly name?: string };
  readonly delta?: {
    readonly text?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
}

const WHOLE_ENDS = ['end_turn', 'stop_sequence', 'tool_use'];

export function allowed({ pieces, recorded }: Pick<Stream, 'pieces' | 'recorded'>): Allowed {
  const events = eventsIn(new TextDecoder().decode(Buffer.concat(pieces)));
  const texts = events.map(({ delta, content_block: block }) => delta?.text ?? block?.text ?? '').join('');
  const reason = events.find(
    ({ type, delta }) => type === 'message_delta' && typeof delta?.stop_reason === 'string',
  );
  return {
    mayRun: WHOLE_ENDS.includes(reason?.delta?.stop_reason ?? ''),
    countOf: (word) => texts.split(word).length - 1,
    hasArrived: (tool, input) =>
      recorded.dialect === 'xml' ? isInText(texts, tool, input) : isInEvents(events, tool, input),
  };
}

function eventsIn(text: string): readonly Event[] {
  const records = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n\n');
  return records.flatMap((record) => {
    const lines = record.split('\n').filter((line) => line.startsWith('data:'));
    try {
      return [JSON.parse(lines.map((line) => line.slice('data:'.length)).join('\n')) as Event];
    } catch {
      return []; // A comment, or a record that did not arrive whole.
    }
  });
}

/** In a text a call has arrived when it stands there as it would be written with these values. */
function isInText(text: string, tool: string, input: unknown): boolean {
  const values = Object.entries(input as Readonly<Record<string, unknown>>);
  const parts = values.map(
    ([name, value]) => `<${name}>${typeof value === 'string' ? value : JSON.stringify(value)}</${name}>`,
  );
  const written = [`<${tool}>`, ...parts, `</${tool}>`].map((part) =>
    part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(written.join('\\s*')).test(text);
}

/** In events a call has arrived when the pieces with its number, all of them or those behind its start, are these arguments. */
function isInEvents(events: readonly Event[], tool: string, input: unknown): boolean {
  const wanted = JSON.stringify(input);
  return events.some(({ content_block: block, index }, at) => {
    if (block?.type !== 'tool_use' || block.name !== tool) return false;
    const next = events.findIndex(
      (event, n) => n > at && event.index === index && event.content_block !== undefined,
    );
    const behind = events.slice(at + 1, next === -1 ? undefined : next);
    return [events, behind, events.slice(at + 1)].some((some) => argumentsIn(some, index) === wanted);
  });
}

function argumentsIn(events: readonly Event[], index: number | undefined): string | null {
  const json = events
    .map((event) => (event.index === index ? (event.delta?.partial_json ?? '') : ''))
    .join('');
  try {
    return JSON.stringify(json === '' ? {} : JSON.parse(json));
  } catch {
    return null; // Not all of it has arrived.
  }
}
