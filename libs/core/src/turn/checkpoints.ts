/** When the states of a workspace are stored: before the first change, and after each turn that may have changed files. */
import type { CheckpointReason, ToolGroup } from '@bullpen/contracts';
import type { CheckpointResult, Workspace } from '../ports/workspace.js';
import { noteChanges } from './modes.js';
import type { Changes, Run } from './run.js';

/** Tools of these groups may change files. */
const CHANGING: readonly ToolGroup[] = ['write', 'execute', 'browser', 'mcp'];

export const mayChange = (group: ToolGroup): boolean => CHANGING.includes(group);

export const noChanges = (): Changes => ({ untouched: true, pending: false, failed: null });

/**
 * To be called before calls start. Before the first one that may change files the state is stored, as something to go back to. Where others may have changed
 * files meanwhile it is stored before each turn, so that their doing is not taken for the task's.
 */
export async function beforeChanges(
  run: Run,
  groups: readonly ToolGroup[],
  signal: AbortSignal,
): Promise<void> {
  if (!groups.some(mayChange)) return;
  // What these calls do belongs to the present turn, and is not in it.
  const { untouched, pending } = run.changes;
  if (untouched || (run.workspace.inPlace && !pending))
    await store(run, 'start', signal, run.state.task.turns - 1);
  run.changes.untouched = false;
  run.changes.pending = true;
}

/** To be called at each border between turns and before the task waits. Costs nothing when nothing can have changed. */
export async function afterChanges(run: Run, signal: AbortSignal): Promise<void> {
  if (!run.changes.pending) return;
  run.changes.pending = false;
  await store(run, 'turn', signal);
}

/** Stores the state now, and records it with the next step. */
export async function store(
  { workspace, state, changes }: Run,
  reason: CheckpointReason,
  signal: AbortSignal,
  turn = state.task.turns,
): Promise<CheckpointResult> {
  const result = await workspace.checkpoint({ reason, turn }, signal);
  if (result.kind === 'taken') {
    const { id: checkpointId, note, diffstat } = result.checkpoint;
    if (reason === 'turn')
      noteChanges(
        state,
        (diffstat?.list ?? []).map(({ path }) => path),
        turn,
      );
    const { files, insertions, deletions } = diffstat ?? { files: 0, insertions: 0, deletions: 0 };
    state.record({
      checkpoints: [result.checkpoint],
      events: [
        {
          type: 'checkpoint.taken',
          data: { checkpointId, reason, turn, note, files, insertions, deletions },
        },
      ],
    });
  } else if (result.kind === 'degraded') {
    const { reason: why, message } = result;
    if (changes.failed !== why)
      state.record({ events: [{ type: 'checkpoint.failed', data: { reason: why, message } }] });
  }
  changes.failed = result.kind === 'degraded' ? result.reason : null;
  return result;
}

/** A folder whose states nobody stores. */
export function withoutCheckpoints(path: string): Workspace {
  const off = { madeFrom: null, setup: null, inPlace: false, isBorrowed: false };
  return { path, epoch: 0, ...off, checkpoint: () => Promise.resolve({ kind: 'off' }) };
}
