/** What a restore changes, for people. Pure. */
import type { RestoredFiles, RestoredPath, RestoreView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { plural } from './format.js';
import { oneLine } from './plain-text.js';

const MARKS: Readonly<Record<RestoredPath['action'], string>> = {
  create: 'A',
  write: 'M',
  remove: 'D',
  mode: 'm',
};

/** A line for each file: what is to be brought back, what stays and why; then the conversation. */
export function restoreText({ files, history }: RestoreView, colors: Colors): string {
  return [...(files === null ? [] : fileLines(files, colors)), ...historyLines(history)].join('\n');
}

/** Nothing of what it is about differs from the checkpoint. */
export function changesNothing({ files, history }: RestoreView): boolean {
  return (files?.changes.count ?? 0) === 0 && (history?.messages ?? 0) === 0;
}

function fileLines({ changes, kept, conflicts }: RestoredFiles, colors: Colors): readonly string[] {
  return [
    ...changes.list.map(({ path, action }) => `${MARKS[action]} ${oneLine(path)}`),
    ...more(changes),
    ...conflicts.list.map((path) => `${colors.red('!')} ${oneLine(path)}  stays: changed by others, too`),
    ...more(conflicts),
    ...kept.list.map(({ path }) =>
      colors.dim(`= ${oneLine(path)}  stays: not the task's, or not in the checkpoint`),
    ),
    ...more(kept),
    changes.count === 0 ? 'no file to bring back' : `${plural(changes.count, 'file')} to bring back`,
  ];
}

function more({
  count,
  list,
}: {
  readonly count: number;
  readonly list: readonly unknown[];
}): readonly string[] {
  return count > list.length ? [`… ${plural(count - list.length, 'more file')}`] : [];
}

function historyLines(history: RestoreView['history']): readonly string[] {
  if (history === null) return [];
  if (history.messages === 0) return ['no message to take back'];
  return [
    `the conversation up to turn ${history.turn}: ${plural(history.messages, 'later message')} to take back`,
  ];
}
