/** Which tools a task has at hand: its definition lists them, its autonomy bounds them. Enforced where calls run, not by the prompt. */
import { offeredIn } from './policy/decide.js';
import { COMPLETE_TASK, PRESENT_PLAN } from './prompts.js';
import type { TaskRecord } from './task.js';
import type { Tool } from './tool.js';

/** Whether a task may call a tool now. A plan is presented in `plan` only, and a conversation is not ended by its agent. */
export function isOffered(tool: Pick<Tool, 'name' | 'group'>, task: TaskRecord): boolean {
  if (tool.name === PRESENT_PLAN) return task.autonomy === 'plan';
  if (tool.name === COMPLETE_TASK) return task.autonomy !== 'plan' && !isConversation(task);
  return offeredIn(task.autonomy, tool.group);
}

/** The tools that a task may call now, in the order of its definition. */
export function offeredTools(tools: ReadonlyMap<string, Tool>, task: TaskRecord): readonly Tool[] {
  return [...tools.values()].filter((tool) => isOffered(tool, task));
}

/** True when an answer does not end the task: it waits for the next message. */
export function isConversation({ autonomy, definition }: TaskRecord): boolean {
  return autonomy === 'chat' || definition.conversation;
}

/** Whether there is somebody who answers: in `background` only when the task says that it waits. */
export function canAsk({ autonomy, definition }: TaskRecord): boolean {
  return autonomy !== 'background' || definition.asks.inBackground === 'wait';
}
