/**
 * Refuses what neither Postgres nor a model can take: NUL characters, halves of surrogate pairs, nesting beyond any sense. Done
 * once, before any schema looks at a value, and without recursion: the nesting is what is to be found out.
 */

/** Deepest nesting of a request body. JSON Schemas of outputs are the deepest things that people send. */
const MAX_DEPTH = 64;

/** One fault of a request: where (JSON pointer) and what. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** The first fault of a value; null when there is none. */
export function findTextFault(value: unknown): FieldError | null {
  const open: { value: unknown; pointer: string; depth: number }[] = [{ value, pointer: '', depth: 0 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const fault = faultOf(node.value, node.pointer);
    if (fault) return fault;
    if (typeof node.value !== 'object' || node.value === null) continue;
    if (node.depth >= MAX_DEPTH)
      return { pointer: shorten(node.pointer), detail: `is nested deeper than ${MAX_DEPTH} levels` };
    for (const [key, member] of Object.entries(node.value)) {
      const pointer = `${node.pointer}/${escapePointer(key)}`;
      const keyFault =
        key === '__proto__' ? { pointer, detail: 'is not allowed as a field name' } : faultOf(key, pointer);
      if (keyFault) return keyFault;
      open.push({ value: member, pointer, depth: node.depth + 1 });
    }
  }
  return null;
}

/** A path segment as RFC 6901 writes it. */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

function faultOf(value: unknown, pointer: string): FieldError | null {
  if (typeof value !== 'string') return null;
  if (value.includes('\0'))
    return { pointer: shorten(pointer), detail: 'contains a NUL character; remove it' };
  if (/\p{Surrogate}/u.test(value))
    return {
      pointer: shorten(pointer),
      detail: 'contains half of a surrogate pair, probably a character that was cut in two; remove it',
    };
  return null;
}

/** Fit to be shown: the pointer may be what is broken. */
function shorten(pointer: string): string {
  const shown = pointer.length <= 200 ? pointer : `${pointer.slice(0, 200)}…`;
  return shown.replace(/\p{Surrogate}/gu, '\ufffd').replaceAll('\0', '\ufffd');
}
