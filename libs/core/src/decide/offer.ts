/**
 * What a task can do under its autonomy: which tools are available, whether somebody can be asked, how it ends. Enforced where
 * calls run.
 */
import { AUTONOMIES } from '@bullpen/contracts';
import { ASK_USER, COMPLETE_TASK, offeredIn, PRESENT_PLAN, SIGNAL } from '../task/autonomy.js';
import type { TaskRecord } from '../task/task.js';
import type { Tool } from '../ports/tool.js';

/** What the answers depend on. The autonomy is the current one; the definition has the original one. */
export type Situation = Pick<TaskRecord, 'autonomy' | 'definition'>;

/** How an agent's work ends: an accepted plan, a completing call, an answer without calls, or nothing that the agent does. */
export type Ending = 'plan' | 'completion' | 'answer' | 'message';

/** How a task of this autonomy says that it has ended. */
export function endingOf({ autonomy, definition }: Situation): Ending {
  const { ending } = AUTONOMIES[autonomy];
  if (ending !== 'result') return ending;
  if (definition.conversation) return 'message';
  return definition.tools.includes(COMPLETE_TASK) ? 'completion' : 'answer';
}

/** The tool whose call ends the work; null where words do. */
export const ENDING_TOOL: Readonly<Record<Ending, string | null>> = {
  plan: PRESENT_PLAN,
  completion: COMPLETE_TASK,
  answer: null,
  message: null,
};
const ENDING_TOOLS = Object.values(ENDING_TOOL);

/** True when an answer does not end the task: it waits for the next message. */
export function isConversation({ autonomy, definition }: Situation): boolean {
  return AUTONOMIES[autonomy].ending === 'message' || definition.conversation;
}

/** Whether there is somebody who answers: in `background` only when the task says that it waits. */
export function canAsk({ autonomy, definition }: Situation): boolean {
  return AUTONOMIES[autonomy].people === 'always' || definition.asks.inBackground === 'wait';
}

/** Whether a question of the agent reaches a person, as far as the definition says. */
export function mayQuestion(situation: Situation): boolean {
  const { tools, rules, approvals } = situation.definition;
  return (
    tools.includes(ASK_USER) &&
    isOffered({ name: ASK_USER, group: 'question' }, situation) &&
    approvals.alwaysAllowFollowupQuestions &&
    !rules.tools.deny.includes(ASK_USER)
  );
}

/** Whether a task that has a tool may call it now. A tool that could only fail is not shown. */
export function isOffered({ name, group }: Pick<Tool, 'name' | 'group'>, situation: Situation): boolean {
  if (ENDING_TOOLS.includes(name)) return name === ENDING_TOOL[endingOf(situation)];
  if (name === SIGNAL && situation.definition.machine === undefined) return false;
  if (group === 'question' && !canAsk(situation)) return false;
  return offeredIn(situation.autonomy, group);
}

/** The tools that a task may call now, in the order of its definition. */
export function offeredTools(tools: ReadonlyMap<string, Tool>, situation: Situation): readonly Tool[] {
  return [...tools.values()].filter((tool) => isOffered(tool, situation));
}
