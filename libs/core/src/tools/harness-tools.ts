/** The tools that act on the task itself: subtasks, the to-do list, people, completion. They only say what the step must store. */
import { askUser } from './ask-user.js';
import { completeTask } from './complete-task.js';
import { presentPlan } from './present-plan.js';
import type { ToolFor } from './registry.js';
import { signal } from './signal.js';
import { spawnSubtask, type AgentTools } from './spawn-subtask.js';
import { switchAutonomy } from './switch-autonomy.js';
import { updateTodos } from './update-todos.js';
import { takeChanges, type SubtaskChanges } from './take-changes.js';
import { waitForSubtasks } from './wait-for-subtasks.js';
import type { Tool } from '../ports/tool.js';

/** What the tools are made from. */
interface HarnessTools extends AgentTools {
  /** Without it, the files of subtasks cannot be reached. */
  readonly changes?: SubtaskChanges;
}

/** One set for a worker: what they know of a task is in the context of a call. */
export function harnessTools(context: HarnessTools): readonly (Tool | ToolFor)[] {
  return [
    spawnSubtask(context),
    waitForSubtasks(),
    takeChanges(context.changes ?? null),
    updateTodos(),
    askUser(),
    switchAutonomy(),
    presentPlan(),
    completeTask(context.validate),
    signal(),
  ];
}

/** Their names, whatever the agents. */
export const HARNESS_TOOL_NAMES: readonly string[] = harnessTools({ agents: [], validate: () => [] }).map(
  ({ name }) => name,
);
