/** What a box adds to the start of a command, measured side by side on whatever else the machine has to do. */
import { unboxed, type Sandbox } from '@bullpen/workspace';
import type { Arena } from './arena.js';

const STARTS = 50;

/** Median of the differences, in ms; null at level none. */
export async function startCost(arena: Arena): Promise<number | null> {
  const { sandbox } = arena.options;
  if (sandbox.level === 'none') return null;
  arena.newWorkspace();
  const differences: number[] = [];
  for (let at = 0; at < STARTS; at += 1) {
    const without = await timed(arena, unboxed());
    differences.push((await timed(arena, sandbox)) - without);
  }
  differences.sort((a, b) => a - b);
  return Math.round((differences[STARTS / 2] ?? 0) * 10) / 10;
}

async function timed(arena: Arena, sandbox: Sandbox): Promise<number> {
  const startedAt = performance.now();
  await arena.run('true', {}, sandbox);
  return performance.now() - startedAt;
}
