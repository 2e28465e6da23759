/** A word of the line as the rules see it. */
import type { Finding } from './rules.js';
import type { Span } from './types.js';

/** `literal`: known now. `glob`: file names that only the shell knows. `unknown`: anything else; `trouble` says what. */
export type ArgKind = 'literal' | 'glob' | 'unknown';

export interface Arg {
  readonly kind: ArgKind;
  /** For anything but a literal only a hint. */
  readonly value: string;
  readonly span: Span;
  /** Whether quotes or escapes took part. */
  readonly quoted: boolean;
  readonly trouble: Finding | null;
  /** For a glob: its text, with a backslash before what stands for itself. */
  readonly pattern?: string;
  /** The search whose files the word stands for: `find -exec … {}`, `find … | xargs …`. */
  readonly search?: FindCall;
}

/** What a call of find may find. */
export interface FindCall {
  /** Where it starts; the folder itself when the line names none. */
  readonly starts: readonly Arg[];
  readonly tests: readonly Arg[];
}

/** The values of variables as far as the line shows them; null: it gives several, or one that nobody knows. */
export type Variables = Map<string, string | null>;
