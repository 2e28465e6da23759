/** A workspace that its agent has not seen as it is now: what the files are, which calls they do not show, and how it was set up. */
import { movedText, restoredText, setupText } from '../conversation/prompts.js';
import { preview } from '../task/text.js';
import { mayChange } from './checkpoints.js';
import type { Run } from './run.js';

/** So many calls are named. */
const MOST_NAMED = 20;

/** What the agent has to be told with the next message, which is recorded as told; empty when it knows its files. */
export function tellWorkspace(run: Run): readonly string[] {
  const { state, workspace, setup } = run;
  const { workspaceEpoch: known } = state.task;
  const isNew = known !== workspace.epoch;
  const { end } = setup;
  // None is known before the first run: what it finds is what there is, and how that was set up.
  const moved = isNew && known !== null ? [tellMoved(run)] : [];
  const ended =
    end !== null && (isNew || setup.isNews) ? [setupText(state.task.workspace.setup ?? '', end)] : [];
  if (moved.length + ended.length > 0) state.record({ patch: { workspaceEpoch: workspace.epoch } });
  setup.isNews = false;
  return [...moved, ...ended];
}

function tellMoved(run: Run): string {
  const { madeFrom } = run.workspace;
  const lost = lostCalls(run);
  const named = lost.slice(-MOST_NAMED).map(({ text }) => text);
  const more = lost.length - named.length;
  // People know of a restore since it was done.
  if (madeFrom?.restored === true) return restoredText(named, more);
  run.state.record({
    events: [
      {
        type: 'workspace.rebuilt',
        data: {
          checkpointId: madeFrom?.checkpointId ?? null,
          turn: madeFrom?.turn ?? 0,
          lostCalls: lost.map(({ id }) => id),
        },
      },
    ],
  });
  return movedText(named, more);
}

/** Calls that may have changed files after the state that the copy was made from, oldest first. */
function lostCalls({
  state,
  tools,
  workspace,
}: Run): readonly { readonly id: string; readonly text: string }[] {
  const { madeFrom } = workspace;
  const isOwn = madeFrom === null || madeFrom.taskId === state.task.id;
  const newest = new Set(state.toolCalls.map(({ toolUseId }) => toolUseId));
  const isLater = (turn: number, toolUseId: string): boolean => {
    if (madeFrom === null || (isOwn && turn > madeFrom.turn)) return true;
    const call = newest.has(toolUseId)
      ? state.toolCalls.find((one) => one.toolUseId === toolUseId)
      : undefined;
    return call?.startedAt != null && call.startedAt > madeFrom.at;
  };
  return state.messages.flatMap(({ turn, content }) =>
    content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const tool = tools.get(block.name);
      if (tool === undefined || !mayChange(tool.group) || !isLater(turn, block.id)) return [];
      return [{ id: block.id, text: `${block.name} ${preview(JSON.stringify(block.input), 200)}` }];
    }),
  );
}
