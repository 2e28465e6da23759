/** Runs attacks one after the other, and looks after each at what may not have changed, and at what may not be left. */
import type { Attack } from './attack.js';
import type { Finding } from './finding.js';
import type { Arena } from './arena.js';
import { leftovers, lookAround } from './leftovers.js';

export interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly kind: Attack['kind'];
  /** What is wrong; empty when the attack came to nothing. */
  readonly found: readonly Finding[];
  readonly seconds: number;
}

/** One attack in a workspace of its own. Never throws. */
export async function runAttack(arena: Arena, attack: Attack): Promise<Outcome> {
  const { name, what, kind } = attack;
  const startedAt = performance.now();
  const found: Finding[] = [];
  try {
    arena.newWorkspace();
    const before = lookAround(arena.tmp);
    found.push(...(await attack.run(arena)));
    found.push(...(await leftovers(arena, before)));
  } catch (error) {
    found.push({
      harm: 'broken',
      what: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  found.push(...arena.canaries.changes(), ...arena.listeners.hits(), ...arena.harmToBystander());
  return { name, what, kind, found, seconds: (performance.now() - startedAt) / 1_000 };
}
