/** What each verb of a bulk action does to one task. Done twice it comes to the same, or is marked in its own transaction. */
import { assertNever, AppError, type BulkVerb } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { ClaimedBulk, ItemEnd, TaskCommands, Within } from '@bullpen/store';
import type { RetriesService } from '../tasks/retries.service.js';

/** So many retried tasks begin in each second: a provider that has just recovered should not be overrun. */
const A_SECOND = 20;

export interface BulkItemWork {
  readonly bulk: ClaimedBulk;
  readonly taskId: string;
  readonly position: number;
  /** Marks the task as done in the transaction that does it. */
  readonly mark: (newTaskId?: string) => Within;
}

export interface BulkVerbDeps {
  readonly commands: TaskCommands;
  readonly retries: RetriesService;
}

/** Errors that are the user's to know. */
const TELLING: ReadonlySet<string> = new Set(['invalid_workspace', 'not_found']);

const DONE: ItemEnd = { state: 'done' };
const refused = (reason: string): ItemEnd => ({ state: 'refused', reason });
const GONE = refused('It no longer exists.');
const ENDED = refused('It has ended.');

/** Does it. What cannot be done is told in the result; it throws only for what may go better next time. */
export async function doToOne(deps: BulkVerbDeps, work: BulkItemWork): Promise<ItemEnd> {
  const { bulk, taskId } = work;
  const { tenantId, action } = bulk;
  const { commands } = deps;
  switch (action.verb) {
    case 'cancel':
      return cancelled(await commands.cancel(tenantId, taskId, action.reason ?? null));
    case 'pause':
      return changed(await commands.pause(tenantId, taskId, action.now));
    case 'resume':
      return changed(await commands.resume(tenantId, taskId));
    case 'archive':
      return changed(await commands.archive(tenantId, taskId, true));
    case 'unarchive':
      return changed(await commands.archive(tenantId, taskId, false));
    case 'tag':
      return changed(await commands.tag(tenantId, taskId, action));
    case 'retry':
      return retried(deps, work, action);
    default:
      return assertNever(action);
  }
}

function cancelled(result: Awaited<ReturnType<TaskCommands['cancel']>>): ItemEnd {
  if (result === 'not_found') return GONE;
  return result === 'already_ended' ? ENDED : DONE;
}

type Changed = Awaited<ReturnType<TaskCommands['pause' | 'resume' | 'archive' | 'tag']>>;

function changed(result: Changed): ItemEnd {
  switch (result) {
    case 'not_found':
      return GONE;
    case 'already_ended':
      return ENDED;
    case 'not_ended':
      return refused('It has not ended.');
    case 'not_paused':
      return refused('It is not paused.');
    case 'too_many_tags':
      return refused('It would have more than 20 tags.');
    case 'paused':
    case 'requested':
    case 'resumed':
    case 'changed':
    case 'unchanged':
      return DONE;
    default:
      return assertNever(result);
  }
}

async function retried(
  { retries }: BulkVerbDeps,
  { bulk, taskId, position, mark }: BulkItemWork,
  action: Extract<BulkVerb, { verb: 'retry' }>,
): Promise<ItemEnd> {
  const begins = bulk.createdAt.getTime() + Math.floor((position - 1) / A_SECOND) * 1_000;
  const delayMs = Math.max(0, begins - Date.now());
  try {
    const newTaskId = action.mode === 'new' ? newId('task') : undefined;
    const outcome = await retries.tryOne(
      { tenantId: bulk.tenantId, taskId, newTaskId },
      action,
      { delayMs, once: true },
      mark(newTaskId),
    );
    if (outcome === null) return GONE;
    if (outcome.kind === 'refused') return refused(outcome.reason);
    return { state: 'done', ...(newTaskId !== undefined && { newTaskId }) };
  } catch (error) {
    if (error instanceof AppError && TELLING.has(error.code)) return refused(error.message);
    throw error;
  }
}
