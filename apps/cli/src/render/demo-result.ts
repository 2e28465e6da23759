/** The end of a demo as data. */
import { join } from 'node:path';
import type { Losses } from '@bullpen/client';
import type { SystemInfo, TaskTree, TaskUsageView, TaskView } from '@bullpen/contracts';

/** All that the end of a demo is told from. */
export interface DemoResult {
  readonly task: TaskView;
  readonly tree: TaskTree;
  readonly usage: TaskUsageView;
  readonly system: SystemInfo;
  readonly durationMs: number;
  readonly losses: Losses;
}

/** The JSON document of `demo --json`. */
export function demoDocument({ task, tree, usage, system, durationMs, losses }: DemoResult): object {
  return {
    outcome: task.state,
    stopCause: task.stopCause,
    taskId: task.id,
    tasks: tree.tasks.length,
    report: reportPath(task),
    usage: usage.tree,
    durationMs,
    lost: losses,
    output: task.output,
    failure: task.failure,
    simulated: system.model.simulated,
    queueBackend: system.queueBackend,
  };
}

/** Where the agent was asked to leave its report; null when the task never had a workspace. */
export function reportPath(task: TaskView): string | null {
  return task.workspacePath === null ? null : join(task.workspacePath, 'REPORT.md');
}
