/** Stored states of workspaces, for people. Pure. */
import {
  folderOf,
  type ChangedFile,
  type CheckpointView,
  type Diffstat,
  type TaskView,
} from '@bullpen/contracts';
import { age, bytes, plural } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';
import type { TableOptions } from './webhook-tables.js';

export function checkpointTable(
  checkpoints: readonly CheckpointView[],
  { width, now, colors }: TableOptions,
): string {
  return renderTable(
    checkpoints,
    [
      { title: 'CHECKPOINT', value: ({ id }) => oneLine(id), ids: true },
      { title: 'AGE', value: ({ createdAt }) => age(createdAt, now), align: 'right' },
      { title: 'TURN', value: ({ turn }) => String(turn), align: 'right' },
      { title: 'WHY', value: ({ reason }) => reason },
      { title: 'CHANGED', value: changedText },
      { title: 'NOTE', value: ({ note }) => oneLine(note ?? ''), shrinkTo: 10 },
    ],
    width,
    colors,
  );
}

/** All of one checkpoint, a line for each fact, and the files that it changed. */
export function checkpointDetails(checkpoint: CheckpointView): string {
  const { diffstat, leftOut } = checkpoint;
  const facts: [string, string | null][] = [
    ['checkpoint', checkpoint.id],
    ['task', checkpoint.taskId],
    ['workspace', checkpoint.workspaceId],
    ['taken', `${checkpoint.createdAt}, after turn ${checkpoint.turn} (${checkpoint.reason})`],
    ['note', checkpoint.note],
    ['parent', checkpoint.parentId],
    ['files', String(checkpoint.files)],
    ['stored', bytes(checkpoint.bytes)],
    ['changed', diffstat === null ? null : changedText(checkpoint)],
    ...leftOut.map(({ reason, count, paths }): [string, string] => [
      'left out',
      `${plural(count, 'path')} (${reason}): ${paths.join(', ')}`,
    ]),
  ];
  const list = diffstat?.list ?? [];
  const more = (diffstat?.files ?? 0) - list.length;
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)} ${oneLine(value)}`])),
    ...list.map((file) => `  ${fileLine(file)}`),
    ...(more > 0 ? [`  … ${plural(more, 'more file')}`] : []),
  ].join('\n');
}

/** What a task changed: a line for each file, and the sum. */
export function diffText({ files, insertions, deletions, list }: Diffstat): string {
  const more = files - list.length;
  return [
    ...list.map(fileLine),
    ...(more > 0 ? [`… ${plural(more, 'more file')}`] : []),
    sumText({ files, insertions, deletions }),
  ].join('\n');
}

/** `3 files changed, +12 -4` */
export function sumText({ files, insertions, deletions }: Omit<Diffstat, 'list'>): string {
  return `${plural(files, 'file')} changed, +${insertions} -${deletions}`;
}

/** The sum of what a task changed, and the commands that show and bring it. */
export function takeText({ id, workspace }: Pick<TaskView, 'id' | 'workspace'>, diffstat: Diffstat): string {
  const show = `${sumText(diffstat)}: bullpen tasks diff ${id}`;
  if (workspace.kind === 'path' && !workspace.copy) return show;
  return `${show} · bullpen apply ${id}${folderOf(workspace) === null ? ' --to DIR' : ''}`;
}

const MARKS: Readonly<Record<ChangedFile['status'], string>> = {
  added: 'A',
  changed: 'M',
  deleted: 'D',
  renamed: 'R',
  mode: 'm',
};

function fileLine({ path, status, from, insertions, deletions }: ChangedFile): string {
  const lines = insertions === null ? 'no text' : `+${insertions} -${deletions ?? 0}`;
  return `${MARKS[status]} ${oneLine(from === undefined ? path : `${from} -> ${path}`)}  ${lines}`;
}

function changedText({ diffstat, files }: CheckpointView): string {
  if (diffstat === null) return `the first: ${plural(files, 'file')}`;
  return `${plural(diffstat.files, 'file')}, +${diffstat.insertions} -${diffstat.deletions}`;
}
