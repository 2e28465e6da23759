import { expect, it } from '@jest/globals';
import type { TaskView } from '@bullpen/contracts';
import { takeText } from './checkpoint-views.js';

const diffstat = { files: 1, insertions: 2, deletions: 0, list: [] };
const fork = (origin: Extract<TaskView['workspace'], { kind: 'fork' }>['origin']): TaskView['workspace'] => ({
  ...{ kind: 'fork', checkpointId: 'ckpt_1', history: true },
  origin,
});
const path = (copy: boolean) => ({ kind: 'path' as const, path: '/home/me/shop', copy });

it.each<[TaskView['workspace'], string]>([
  [{ kind: 'empty' }, ' · bullpen apply t --to DIR'],
  [path(true), ' · bullpen apply t'],
  [path(false), ''],
  // A fork has a folder of its own, and belongs where the work before it came from.
  [fork({ kind: 'empty' }), ' · bullpen apply t --to DIR'],
  [fork(path(true)), ' · bullpen apply t'],
  [fork(path(false)), ' · bullpen apply t'],
])('says how to take what changed in %j', (workspace, how) => {
  expect(takeText({ id: 't', workspace }, diffstat)).toBe(
    `1 file changed, +2 -0: bullpen tasks diff t${how}`,
  );
});
