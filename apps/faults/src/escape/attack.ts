/** An attack: something that a hostile command, file or archive tries, and what it came to. */
import type { Arena } from './arena.js';
import type { Finding } from './finding.js';

export interface Attack {
  /** Unique, in kebab case. */
  readonly name: string;
  /** What it tries, for people. */
  readonly what: string;
  /** A file or an archive that our own code meets, or a program that tries to leave its box. */
  readonly kind: 'input' | 'probe';
  /** It takes long, and who runs it makes no difference: it runs once. @defaultValue false */
  readonly once?: boolean;
  /** Everything that went wrong; empty when the attack came to nothing. What all attacks have in common is looked at besides. */
  run(arena: Arena): Promise<readonly Finding[]>;
}

/** An input that our own code meets. */
export function input(name: string, what: string, run: Attack['run']): Attack {
  return { name, what, kind: 'input', run };
}
