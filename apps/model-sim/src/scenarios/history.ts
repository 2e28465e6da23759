/**
 * Lets a script find out from the history alone what it has done already: pages that were read, calls that failed. A script
 * keeps no state, so this is its only memory.
 */
import type { AgentTurn, ToolResultView } from '../agent-turn.js';
import { canonicalJson } from '../canonical-json.js';
import type { ToolCall } from '../scenario.js';
import type { Page } from './tool-output.js';

/** A call that failed (or was cut off by a crash) is tried again, but not for ever. */
export const MAX_TRIES = 3;

/** How far the reading of a paged tool has come: more to call, failed for good, or all there. */
export type PagedRead<T extends Page> =
  | { state: 'unfinished'; pages: T[]; call: ToolCall }
  | { state: 'failed'; pages: T[]; why: string }
  | { state: 'complete'; pages: T[] };

/** Follows the pages of one call through the history. The first page is asked for without an offset. */
export function readPages<T extends Page>(
  turn: AgentTurn,
  call: ToolCall,
  parse: (text: string, offset: number) => T | undefined,
): PagedRead<T> {
  const results = turn.allToolResults.filter(
    ({ name, input }) => name === call.name && sameButOffset(input, call.input),
  );
  const pages: T[] = [];
  let offset = 0;
  for (;;) {
    const tries = results.filter(({ input }) => offsetOf(input) === offset);
    const page = firstReadable(tries, offset, parse);
    if (page === undefined) {
      if (tries.length >= MAX_TRIES) return { state: 'failed', pages, why: tries.at(-1)?.text ?? '' };
      return { state: 'unfinished', pages, call: withOffset(call, offset) };
    }
    pages.push(page);
    // A page that points backwards would be followed for ever.
    if (page.nextOffset === undefined || page.nextOffset <= offset) return { state: 'complete', pages };
    offset = page.nextOffset;
  }
}

/** The first good result of a tool, if there is one, and how often it was tried. */
export function outcomeOf(
  turn: AgentTurn,
  name: string,
): { done: ToolResultView | undefined; tries: number } {
  const results = turn.allToolResults.filter((result) => result.name === name);
  return { done: results.find(({ isError }) => !isError), tries: results.length };
}

function firstReadable<T>(
  tries: readonly ToolResultView[],
  offset: number,
  parse: (text: string, offset: number) => T | undefined,
): T | undefined {
  for (const { isError, text } of tries) {
    const page = isError ? undefined : parse(text, offset);
    if (page !== undefined) return page;
  }
  return undefined;
}

function withOffset({ name, input }: ToolCall, offset: number): ToolCall {
  return { name, input: offset === 0 ? input : { ...input, offset } };
}

function sameButOffset(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return canonicalJson({ ...a, offset: undefined }) === canonicalJson({ ...b, offset: undefined });
}

function offsetOf(input: Record<string, unknown>): number {
  return typeof input['offset'] === 'number' ? input['offset'] : 0;
}
