/** Values from the provider, which can be anything. None of these functions throws. */

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** The fields of an object; none for anything else. */
export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NONE;
}

/** A text; empty when there is none. Numbers become text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** A text and nothing else, for what has to go back as it came; empty when there is none. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** JSON text that came as text, or as the value it should have been the text of. */
export function asJsonText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '[too deep]'; // Not a JSON object, so that it becomes an error result of the call.
  }
}

/** More tokens than this in one answer are a counting mistake. */
const MOST_TOKENS = 1_000_000_000;

/** A count of tokens; `null`: nothing, or nothing that can be a count, is said. `exact` is false when it had to be rounded or ignored. */
export function asCount(value: unknown): { readonly count: number | null; readonly exact: boolean } {
  if (value === undefined || value === null) return { count: null, exact: true };
  if (typeof value !== 'number' || !(value >= 0 && value <= MOST_TOKENS))
    return { count: null, exact: false };
  return { count: Math.ceil(value), exact: Number.isInteger(value) };
}
