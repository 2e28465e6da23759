/** What there is to tell of a workspace before the work in it begins, in one line. */
import type { TaskEvent } from '@bullpen/contracts';
import { oneLine } from './plain-text.js';

/** So many paths are named; the rest is counted. */
const NAMED = 3;

export type WorkspaceEvent = Extract<
  TaskEvent,
  { type: 'workspace.incomplete' | 'workspace.cloned' | 'workspace.in_place' }
>;

export function workspaceText(event: WorkspaceEvent): string {
  switch (event.type) {
    case 'workspace.incomplete':
      return leftOutText(event.data);
    case 'workspace.cloned': {
      const { url, branch, commit } = event.data;
      const at = commit === null ? 'which has no commits yet' : `at ${commit.slice(0, 12)}`;
      return oneLine(`cloned ${url}${branch === null ? '' : `, branch ${branch}`}, ${at}`);
    }
    case 'workspace.in_place': {
      const { path, others } = event.data;
      const along = others.length === 0 ? '' : `; so do: ${others.join(', ')}`;
      return oneLine(`works in ${path} itself, not on a copy${along}`);
    }
  }
}

function leftOutText({
  leftOut,
  total,
}: Extract<WorkspaceEvent, { type: 'workspace.incomplete' }>['data']): string {
  const named = leftOut.slice(0, NAMED).map(({ path, why }) => oneLine(`${path} (${why})`));
  const more = total - named.length;
  return `not there: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
