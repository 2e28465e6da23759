/** One line for each change of a task's state: what is printed where nothing can be redrawn. Pure. */
import type { TreeModel } from '@bullpen/client';
import { isTerminal, type TaskEvent } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { activityText } from './activity.js';
import { duration, plural, soon } from './format.js';
import { workspaceText } from './workspace-text.js';
import { oneLine } from './plain-text.js';
import { refusalText } from './provider-wait.js';
import { stateGlyph, stateWords } from './state.js';
import { takenOverText, WORKER_LOST } from './takeover.js';

/** The line for an event that the model has already taken in; null for events that are not worth a line. */
export function changeLine(event: TaskEvent, model: TreeModel, colors: Colors): string | null {
  const node = model.get(event.taskId);
  const root = model.root;
  if (node === undefined) return null;
  const time = colors.dim(
    `+${duration(Date.parse(event.at) - (root?.createdAt ?? node.createdAt))}`.padEnd(8),
  );
  const title = oneLine(node.title);
  switch (event.type) {
    case 'task.created':
      return `${time} ${stateGlyph('queued', colors)} ${title}  ${colors.dim(`${oneLine(node.agent)} ${event.taskId}`)}`;
    case 'task.status_changed': {
      const { to } = event.data;
      // Every task begins queued: its creation has said so.
      if (to === 'queued') return null;
      const words = stateWords(to, event.data.reason ?? null, event.data.cause ?? null);
      const spent = isTerminal(to) ? colors.dim(`  ${plural(node.turns, 'turn')}`) : '';
      const why = event.data.failure ? `: ${oneLine(event.data.failure.message)}` : '';
      return `${time} ${stateGlyph(to, colors)} ${title}  ${words}${why}${spent}`;
    }
    case 'retry.scheduled':
      return `${time} ${colors.yellow('!')} ${title}  ${activityText(node.activity)} ${soon(event.data.delayMs)}`;
    case 'provider.waiting': {
      const { message, delayMs } = event.data;
      const text =
        delayMs === null
          ? `${refusalText(event.data)}; next: bullpen providers resume, or another key for the workers`
          : `${oneLine(message)}: waits ${duration(delayMs)}`;
      return `${time} ${colors.yellow('!')} ${title}  ${text}`;
    }
    case 'workspace.cloned':
    case 'task.forked':
    case 'task.forked_from':
      return `${time} ${colors.dim('·')} ${title}  ${workspaceText(event)}`;
    case 'workspace.rebuilt':
    case 'workspace.restored':
      return `${time} ${colors.yellow('↻')} ${title}  ${workspaceText(event)}`;
    case 'workspace.setup_finished':
      return event.data.state === 'done'
        ? null
        : `${time} ${colors.yellow('!')} ${title}  ${workspaceText(event)}`;
    case 'checkpoint.failed':
    case 'workspace.restore_failed':
    case 'workspace.in_place':
    case 'workspace.incomplete':
      return `${time} ${colors.yellow('!')} ${title}  ${workspaceText(event)}`;
    case 'worker.lost':
      return `${time} ${colors.yellow('!')} ${title}  ${WORKER_LOST}`;
    case 'task.taken_over':
      return `${time} ${colors.yellow('↻')} ${title}  ${takenOverText(event.data)}`;
    case 'error':
      return `${time} ${colors.red('!')} ${title}  ${oneLine(event.data.message)}`;
    default:
      return null;
  }
}
