/** Long answers in pages that fit the output cap, so that nothing is cut in the middle; and paths as one unambiguous word. */
import { plural } from '@bullpen/contracts';

/** A page ends before it gets longer (characters); the core cuts tool outputs at 10,000. */
export const MAX_PAGE_CHARS = 9_000;

/** How many of the texts fit on one page, at least one; `limit` texts at most. */
export function fitOnPage(texts: readonly string[], limit: number): number {
  let chars = 0;
  let count = 0;
  for (const text of texts.slice(0, limit)) {
    chars += text.length + 1;
    if (count > 0 && chars > MAX_PAGE_CHARS) break;
    count += 1;
  }
  return count;
}

/** `showing <from>-<to>`, counted from 1; `0-0` for an empty page. */
export function showing(offset: number, count: number): string {
  return count === 0 ? 'showing 0-0' : `showing ${offset + 1}-${offset + count}`;
}

/** The line that leads to the next page; nothing after the last one. */
export function continueLine(
  what: readonly [one: string, many: string],
  total: number,
  next: number,
): readonly string[] {
  return next < total
    ? [`… ${plural(total - next, `more ${what[0]}`, `more ${what[1]}`)}; continue with offset ${next}`]
    : [];
}

/**
 * A path as it stands in a line: as it is, or as a JSON string when it holds control characters or a backslash, begins
 * with a double quote, or has a space at an end. `also` names further texts that would make the line ambiguous.
 */
export function showPath(path: string, also: readonly string[] = []): string {
  const odd =
    /[\p{Cc}\p{Bidi_C}\u2028\u2029\\]|^"|^ | $/u.test(path) || also.some((text) => path.includes(text));
  if (!odd) return path;
  return JSON.stringify(path).replace(
    /[\u007f-\u009f\u2028\u2029\p{Bidi_C}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
