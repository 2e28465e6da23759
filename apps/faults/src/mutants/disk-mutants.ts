/** Bugs around workspaces that move. The drills with workers that lose their disks, or die while they restore files, must notice each. */
import type { Mutant } from './mutant.js';

const disks = (mutant: Omit<Mutant, 'judge'>): Mutant => ({ ...mutant, judge: 'disks' });

export const diskMutants: readonly Mutant[] = [
  disks({
    id: 'D1',
    title: 'a copy that is out of date is used again where it lies',
    file: 'apps/worker/dist/workspaces/task-workspaces.js',
    find: 'const path = await this.rebuild(task, seen, signal);',
    replace:
      'const path = (await isFolder(this.folderOf(task))) ? await this.pathOf(task, signal) : await this.rebuild(task, seen, signal);',
  }),
  disks({
    id: 'D2',
    title: 'a checkpoint is recorded whose objects nobody has stored',
    file: 'libs/checkpoints/dist/checkpoints.js',
    find: 'const pack = await packs.put(commit, before === null ? null : parent, signal);',
    replace: 'const pack = { bytes: 0 };',
  }),
  {
    id: 'D3',
    title: 'a restore begins without storing what it takes away',
    file: 'libs/checkpoints/dist/checkpoints.js',
    find: "const safety = await this.take({ parent: request.parent, note: 'before a restore' }, signal);",
    replace: "const safety = { kind: 'unchanged', commit: request.parent, leftOut: [], ms: 0 };",
    judge: 'restores',
  },
];
