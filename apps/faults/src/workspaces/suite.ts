/** All rounds, then what checkpoints cost; the same for a seed. */
import { measure, type Costs } from './measure.js';
import type { WorkspaceOptions } from './options.js';
import { playRound, type Counts } from './rounds.js';
import { chanceOf } from './tree.js';

export interface WorkspaceReport extends Counts, Costs {
  readonly seed: number;
  readonly rounds: number;
  /** How often each kind was there. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export async function testWorkspaces(
  { seed, rounds, files }: Omit<WorkspaceOptions, 'quiet'>,
  told: (line: string) => void,
  signal: AbortSignal,
): Promise<WorkspaceReport> {
  const startedAt = performance.now();
  const done = { moves: 0, restores: 0, forks: 0, merges: 0, conflicts: 0 };
  const counts: Counts = { ...done, lostFiles: 0, movedBranches: 0, ran: 0, problems: [] };
  const kinds: Record<string, number> = {};
  for (let round = 1; round <= rounds; round += 1) {
    const before = counts.problems.length;
    for (const name of await playRound(round, chanceOf(seed * 1_000 + round), counts, signal))
      kinds[name] = (kinds[name] ?? 0) + 1;
    told(
      `round ${round} of ${rounds}: ${counts.problems.length === before ? 'as it must be' : 'NOT as it must be'}`,
    );
    for (const problem of counts.problems.slice(before)) told(`  ${problem}`);
  }
  told(`checkpoints of ${files} files`);
  const costs = await measure(files, chanceOf(seed), signal);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { seed, rounds, ...counts, ...costs, kinds, seconds };
}

export function isAsItMustBe({ lostFiles, movedBranches, ran }: Counts): boolean {
  return lostFiles === 0 && movedBranches === 0 && ran === 0;
}
