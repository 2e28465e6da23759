/** A block that only its provider knows, put together from its start and its pieces as the provider's own clients do it. */
import type { Json } from '@bullpen/contracts';
import { asJsonText, type Fields } from './wire-values.js';

/** Values of the wire are JSON: they were parsed from it. */
export type JsonFields = Record<string, Json>;

export class ProviderBlock {
  private readonly fields: JsonFields;
  private input = '';

  constructor(start: Fields) {
    this.fields = { ...(start as JsonFields) };
  }

  /** Pieces of arguments are pieces of a JSON text; any other piece goes on where its name says, texts after texts. */
  push({ type, ...pieces }: Fields): void {
    if (type === 'input_json_delta') {
      this.input += asJsonText(pieces['partial_json']);
      return;
    }
    for (const [name, piece] of Object.entries(pieces as JsonFields)) {
      const before = this.fields[name];
      this.fields[name] = typeof before === 'string' && typeof piece === 'string' ? before + piece : piece;
    }
  }

  /** The block as it is so far; null while its arguments are no JSON: they are not all there. */
  whole(): JsonFields | null {
    if (this.input.trim() === '') return this.fields;
    try {
      return { ...this.fields, input: JSON.parse(this.input) as Json };
    } catch {
      return null; // Cut in the middle: it cannot be sent back.
    }
  }
}

/** What of each kind of block is read by its meaning. */
const KNOWN: Readonly<Record<'text' | 'thinking' | 'tool', readonly string[]>> = {
  text: ['type', 'text'],
  thinking: ['type', 'thinking', 'signature', 'data'],
  tool: ['type', 'id', 'name', 'input'],
};

/** What else a block says of itself: it belongs to it, and goes back with it. */
export function otherFields(kind: keyof typeof KNOWN, block: Fields): JsonFields {
  const others = Object.entries(block as JsonFields).filter(([name]) => !KNOWN[kind].includes(name));
  return Object.fromEntries(others);
}
