/** The tools that act on the task itself: subtasks, the to-do list, people, completion. They only say what the step must store. */
import { askUser } from './ask-user.js';
import { completeTask } from './complete-task.js';
import { presentPlan } from './present-plan.js';
import type { ToolFor } from './registry.js';
import { spawnSubtask, type AgentTools } from './spawn-subtask.js';
import { switchAutonomy } from './switch-autonomy.js';
import { updateTodos } from './update-todos.js';
import { waitForSubtasks } from './wait-for-subtasks.js';
import type { Tool } from '../ports/tool.js';

/** One set for a worker: what they know of a task is in the context of a call. */
export function harnessTools(context: AgentTools): readonly (Tool | ToolFor)[] {
  return [
    spawnSubtask(context),
    waitForSubtasks(),
    updateTodos(),
    askUser(),
    switchAutonomy(),
    presentPlan(),
    completeTask(context.validate),
  ];
}

/** Their names, whatever the agents. */
export const HARNESS_TOOL_NAMES: readonly string[] = harnessTools({ agents: [], validate: () => [] }).map(
  ({ name }) => name,
);
