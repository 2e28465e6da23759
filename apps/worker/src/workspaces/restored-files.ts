/** What a restore does to files, as it is told. */
import type { ChangedFile, Diffstat, RestorePreview, RestoreResult } from '@bullpen/checkpoints';
import type { RestoredFiles, RestoredPath } from '@bullpen/contracts';

/** So many paths of each kind are named. */
const NAMED = 200;

const first = <T>(list: readonly T[], count = list.length) => ({ count, list: list.slice(0, NAMED) });

export function previewedFiles({ changes, notOurs, conflicts }: RestorePreview): RestoredFiles {
  return { changes: first(changes), kept: first(notOurs), conflicts: first(conflicts) };
}

/** What was really changed is what differs between the states before and after: an earlier try may have done a part. */
export function doneFiles(result: RestoreResult, diffstat: Pick<Diffstat, 'list'> | null): RestoredFiles {
  const left = result.applied.left.map(({ path }) => path);
  return {
    changes: first((diffstat?.list ?? []).flatMap(pathsOf)),
    kept: first(result.notOurs),
    conflicts: first([...new Set([...result.conflicts, ...left])]),
  };
}

/** Between two stored states. */
export function filesOf({ list }: Diffstat): RestoredFiles {
  return { changes: first(list.flatMap(pathsOf)), kept: first([]), conflicts: first([]) };
}

const ACTIONS = { added: 'create', changed: 'write', deleted: 'remove', mode: 'mode' } as const;

function pathsOf({ path, from, status }: ChangedFile): readonly RestoredPath[] {
  if (status !== 'renamed') return [{ path, action: ACTIONS[status] }];
  return [
    ...(from === undefined ? [] : [{ path: from, action: 'remove' as const }]),
    { path, action: 'create' },
  ];
}
