/** Port: what there is to know about the place that a task works in. */
import type { Briefing, HostRules, RuleFile } from '@bullpen/contracts';
import type { TaskRecord } from '../task/task.js';

/** Neither throws for what is in files or at addresses: that becomes the `problem` of the part. */
export interface Surroundings {
  /** All that a task is told at its start. Read once: what comes of it is stored with the task. `network`: hosts that stay closed. */
  brief(task: TaskRecord, workspacePath: string, network: HostRules, signal: AbortSignal): Promise<Briefing>;
  /** Files with rules in these folders of the workspace, given relative to it; in their order. */
  rulesIn(workspacePath: string, folders: readonly string[]): Promise<readonly RuleFile[]>;
}
