/** What follows from the table of autonomies for tools. */
import { AUTONOMIES, type Autonomy, type ToolGroup } from '@bullpen/contracts';

/** The tool whose arguments are the output of a task. */
export const COMPLETE_TASK = 'complete_task';

/** The tool that ends planning. */
export const PRESENT_PLAN = 'present_plan';

/** The tool that puts a question to a person. */
export const ASK_USER = 'ask_user';

/** The tool that leads from one work mode to the next. */
export const SIGNAL = 'signal';

/** Whether tools of a group are available under an autonomy: the model is shown no others. */
export function offeredIn(autonomy: Autonomy, group: ToolGroup): boolean {
  const { groups } = AUTONOMIES[autonomy];
  return groups === 'all' || groups.includes(group);
}
