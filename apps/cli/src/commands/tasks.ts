/** `bullpen tasks …`: everything about tasks that were submitted. */
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { withExamples } from '../help.js';
import { registerTasksExport } from './tasks-export.js';
import { registerTasksList } from './tasks-list.js';
import { registerTasksLogs } from './tasks-logs.js';
import { registerTasksShow } from './tasks-show.js';
import { registerTasksTree } from './tasks-tree.js';
import { registerTasksWatch } from './tasks-watch.js';

export function registerTasks(program: Command, context: Context): void {
  const tasks = program.command('tasks').alias('task');
  withExamples(tasks, [
    ['bullpen tasks list --state running,waiting', 'what is in progress'],
    ['bullpen tasks watch task_…', 'a tree of tasks, live'],
    ['bullpen tasks logs task_… --follow', 'what was said and done'],
  ]);
  registerTasksList(tasks, context);
  registerTasksShow(tasks, context);
  registerTasksWatch(tasks, context);
  registerTasksTree(tasks, context);
  registerTasksLogs(tasks, context);
  registerTasksExport(tasks, context);
}
