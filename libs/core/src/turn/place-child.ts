/** Where a subtask is to work: in its parent's workspace, or in one of its own, which begins from a stored state of the parent's. */
import { AppError, type AgentDefinition } from '@bullpen/contracts';
import type { ToolOutcome } from '../ports/tool.js';
import type { ChildWorkspace } from '../task/task.js';
import { mayChange, store } from './checkpoints.js';
import type { Run } from './run.js';

/** An outcome, in which a subtask has its place. */
export type PlacedOutcome =
  | Exclude<ToolOutcome, { kind: 'spawn' }>
  | (Extract<ToolOutcome, { kind: 'spawn' }> & {
      readonly workspace: ChildWorkspace;
      /** The checkpoint that its own workspace begins from. */
      readonly base?: string | undefined;
    });

/**
 * Gives a subtask its place. The state that an isolated one begins from is recorded with its birth; where it cannot be stored there is
 * no subtask, for it would work in its parent's files without anybody knowing.
 */
export async function placed(run: Run, outcome: ToolOutcome, signal: AbortSignal): Promise<PlacedOutcome> {
  if (outcome.kind !== 'spawn') return outcome;
  const atOnce = placedAtOnce(run, outcome);
  if (atOnce !== null) return atOnce;
  const result = await store(run, 'spawn', signal);
  switch (result.kind) {
    case 'taken':
      return { ...outcome, workspace: 'isolated', base: result.checkpoint.id };
    case 'unchanged':
      return { ...outcome, workspace: 'isolated', base: result.checkpointId };
    case 'degraded':
      return notStarted(`The state of your files could not be stored: ${result.message}`);
    case 'off':
      // Nobody asked for it by name.
      if (outcome.workspace === null) return { ...outcome, workspace: 'shared' };
      return notStarted('This installation stores no states of files.');
  }
}

/** The outcome, unless it is a subtask with files of its own: then the state that they begin from has to be stored first. */
export function placedAtOnce(run: Run, outcome: ToolOutcome): PlacedOutcome | null {
  if (outcome.kind !== 'spawn') return outcome;
  const place = outcome.workspace ?? usual(run, outcome.child.definition);
  return place === 'shared' ? { ...outcome, workspace: place } : null;
}

function notStarted(why: string): PlacedOutcome {
  return {
    kind: 'result',
    isError: true,
    output:
      `The subtask was not started, because it would have no files of its own. ${why} ` +
      'Start it with workspace "shared" if it may work in your folder.',
  };
}

/** What a subtask gets that nobody chose a place for. A folder that is worked on in place is what the user wants to be changed. */
function usual({ deps, state }: Run, definition: AgentDefinition): ChildWorkspace {
  const { workspace, workspaceId, rootId } = state.task;
  if (workspace.kind === 'path' && !workspace.copy && workspaceId === rootId) return 'shared';
  try {
    const tools = deps.tools({ ...state.task, definition });
    const denied = definition.rules.tools.deny;
    const changes = [...tools.values()].some(({ name, group }) => mayChange(group) && !denied.includes(name));
    return changes ? 'isolated' : 'shared';
  } catch (error) {
    // It will end with this error itself; until then it runs nothing.
    if (error instanceof AppError) return 'shared';
    throw error;
  }
}
