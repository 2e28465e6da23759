/** Puts the other side's version of a conflict beside the file, under a name that nobody has. */
import { shownPath, type BytePath } from '../files/byte-path.js';
import type { Difference } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { applyPlan } from '../restore/apply.js';
import type { MergeTarget } from './merge.js';
import type { Conflict } from './outcome.js';

/** Where it goes; null for a conflict that has no such version, or no place for one. */
export function besideName({ path, theirs, why }: Conflict, name: string): BytePath | null {
  if (theirs === null || theirs.kind === 'folder') return null;
  if (why === 'protected' || why === 'closed' || why === 'in_the_way') return null;
  return `${path}.${name}`;
}

/** Gives the names by path. What stands there already stays, and has no name here unless it is the same. To be called while the store is held alone. */
export async function putBeside(
  shadow: ShadowRepository,
  conflicts: readonly Conflict[],
  name: string,
  target: MergeTarget,
  signal: AbortSignal,
): Promise<ReadonlyMap<BytePath, BytePath>> {
  const names = new Map(
    conflicts.flatMap((conflict) => {
      const beside = besideName(conflict, name);
      return beside === null ? [] : [[conflict.path, beside] as const];
    }),
  );
  const changes = conflicts.flatMap(({ path, theirs }): Difference[] => {
    const beside = names.get(path);
    return beside === undefined ? [] : [{ path: beside, before: null, after: theirs }];
  });
  const plan = {
    ...target,
    id: name,
    changes,
    folderPerm: 0o755,
    keptFolders: new Set<string>(),
    durable: true,
  };
  const { left } = await applyPlan(shadow, plan, signal);
  const failed = new Set(left.map(({ path }) => path));
  return new Map([...names].filter(([, beside]) => !failed.has(shownPath(beside))));
}
