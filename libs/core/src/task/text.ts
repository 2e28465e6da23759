/** Small text rules that hold everywhere in the executor. */
import { plural, type Json } from '@bullpen/contracts';

/**
 * Text that Postgres, JSON and the provider all accept: lone surrogates become U+FFFD and NUL becomes U+2400 (its visible
 * symbol). Applied where text enters the executor, so that what is stored and what is sent are the same bytes.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400');
}

/** Deepest nesting of a stored value; anything deeper is not data but an attack on code that walks through it. */
const MAX_DEPTH = 100;

/**
 * A JSON value with clean text everywhere, keys included: escapes can bring in what the JSON text itself does not show. Null when it is
 * nested deeper than 100 levels.
 */
export function cleanJson(value: Json, depth = 0): { readonly value: Json } | null {
  if (typeof value === 'string') return { value: cleanText(value) };
  if (typeof value !== 'object' || value === null) return { value };
  if (depth >= MAX_DEPTH) return null;
  const entries: [string, Json][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const cleaned = cleanJson(inner, depth + 1);
    if (cleaned === null) return null;
    entries.push([cleanText(key), cleaned.value]);
  }
  return { value: Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries) };
}

/** Moves a cut position off the middle of a surrogate pair. */
function codePointBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

/** Shortens to at most `max` UTF-16 units, ending in an ellipsis when something was cut. */
export function preview(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, codePointBoundary(text, max - 1))}…`;
}

/** The end of a text, at most `max` UTF-16 units, beginning with an ellipsis when something was cut. */
export function ending(text: string, max: number): string {
  return text.length <= max ? text : `…${text.slice(text.length - max + 1).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

export interface CappedOutput {
  readonly output: string;
  /** The whole text, when `output` is only a part of it. */
  readonly fullOutput: string | null;
}

/** The tool that gives ranges of what was left out. */
export const READ_TOOL_OUTPUT = 'read_tool_output';

/** Default cap of a tool's output, in characters (UTF-16 units). */
export const OUTPUT_CAP = 10_000;

/**
 * Caps a tool's output: two thirds of the room go to the head, the rest to the tail, and a line between them says how many
 * characters were left out and, for a task that can, how to read them. Cuts fall on code-point borders.
 */
export function capOutput(text: string, callId: string, max = OUTPUT_CAP, canRead = true): CappedOutput {
  if (text.length <= max) return { output: text, fullOutput: null };
  const head = codePointBoundary(text, Math.floor((max * 2) / 3));
  const tail = codePointBoundary(text, text.length - (max - head));
  const how = canRead
    ? `; read them with ${READ_TOOL_OUTPUT} {"callId": "${callId}", "offset": ${head}}`
    : '';
  const note = `\n… ${plural(tail - head, 'character')} left out${how} …\n`;
  return { output: text.slice(0, head) + note + text.slice(tail), fullOutput: text };
}

const FENCE = /^\s*(`{3,}|~{3,})\s*(\w*)/;

/**
 * The lines of a text in Markdown that stand in no fence, and the languages of the fences that it has ('' where none is named). A fence ends
 * with a mark as long as its first one; one without an end goes to the end. Linear in the text.
 */
export function unfenced(text: string): {
  readonly lines: readonly string[];
  readonly fenced: readonly string[];
} {
  const lines: string[] = [];
  const fenced: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const [, mark, language = ''] = FENCE.exec(line) ?? [];
    if (fence === null && mark === undefined) lines.push(line);
    else if (fence === null && mark !== undefined) {
      fence = mark;
      fenced.push(language);
    } else if (fence !== null && mark?.startsWith(fence)) fence = null;
  }
  return { lines, fenced };
}

/** The tool and its most telling argument. */
export function callTitle(tool: string, args: Json): string {
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
  const telling =
    fields['command'] ?? fields['path'] ?? Object.values(fields).find((value) => typeof value === 'string');
  return preview(typeof telling === 'string' ? `${tool}: ${telling}` : tool, 200);
}
