/** What there is to tell of a workspace and its stored states, in one line. */
import type { TaskEvent } from '@bullpen/contracts';
import { sumText } from './checkpoint-views.js';
import { plural } from './format.js';
import { oneLine } from './plain-text.js';

/** So many paths are named; the rest is counted. */
const NAMED = 3;

export type WorkspaceEvent = Extract<
  TaskEvent,
  {
    type:
      | 'workspace.incomplete'
      | 'workspace.cloned'
      | 'workspace.in_place'
      | 'workspace.rebuilt'
      | 'workspace.setup_finished'
      | 'workspace.restore_requested'
      | 'workspace.restored'
      | 'workspace.restore_failed'
      | 'checkpoint.taken'
      | 'checkpoint.failed'
      | 'task.forked'
      | 'task.forked_from';
  }
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
    case 'workspace.rebuilt':
      return rebuiltText(event.data);
    case 'workspace.setup_finished':
      return setupText(event.data);
    case 'checkpoint.taken':
      return `checkpoint: ${sumText(event.data)}`;
    case 'workspace.restore_requested':
      return oneLine(`${event.data.by} wants the files of ${event.data.checkpointId} back`);
    case 'workspace.restored':
      return restoredText(event.data);
    case 'workspace.restore_failed': {
      const { before, message } = event.data;
      const partly = before === null ? '' : ` Some may have been; ${before} has them as they were before.`;
      return oneLine(`the files could not be brought back: ${message}${partly}`);
    }
    case 'checkpoint.failed':
      return oneLine(`these files could not be stored as a checkpoint: ${event.data.message}`);
    case 'task.forked':
      return oneLine(`${event.data.taskId} goes on from ${event.data.checkpointId ?? 'here'}`);
    case 'task.forked_from':
      return oneLine(`goes on from ${event.data.checkpointId ?? 'the conversation'} of ${event.data.taskId}`);
  }
}

function rebuiltText({
  checkpointId,
  turn,
  lostCalls,
}: Extract<WorkspaceEvent, { type: 'workspace.rebuilt' }>['data']): string {
  const since = checkpointId === null ? 'as the work began' : `as they were after turn ${turn}`;
  const lost = lostCalls.length;
  const gone = lost === 0 ? '' : `; what ${plural(lost, 'later call')} did to them is gone`;
  return `the files were made anew, ${since}${gone}`;
}

function setupText({
  state,
  output,
}: Extract<WorkspaceEvent, { type: 'workspace.setup_finished' }>['data']): string {
  if (state === 'done') return 'the workspace is set up';
  if (state === 'refused') return oneLine(`setup was not run: ${output}`);
  const [how = '', ...rest] = output.trimEnd().split('\n');
  const last = rest.at(-1) ?? '';
  return oneLine(`setup failed: ${how}${last === '' ? '' : `: ${last}`}`);
}

function restoredText({
  checkpointId,
  files,
  kept,
  conflicts,
}: Extract<WorkspaceEvent, { type: 'workspace.restored' }>['data']): string {
  const stay = kept + conflicts;
  const rest = stay === 0 ? '' : `; ${plural(stay, 'other difference')} left as it is`;
  return oneLine(
    `the files are back as they were at ${checkpointId}: ${plural(files, 'file')} changed${rest}`,
  );
}

function leftOutText({
  leftOut,
  total,
}: Extract<WorkspaceEvent, { type: 'workspace.incomplete' }>['data']): string {
  const named = leftOut.slice(0, NAMED).map(({ path, why }) => oneLine(`${path} (${why})`));
  const more = total - named.length;
  return `not there: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
