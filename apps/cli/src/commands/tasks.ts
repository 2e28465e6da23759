/** `bullpen tasks …`: everything about tasks that were submitted. */
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { withExamples } from '../help.js';

/** In the order of the help. */
const SUBCOMMANDS = {
  list: async () => (await import('./tasks-list.js')).registerTasksList,
  show: async () => (await import('./tasks-show.js')).registerTasksShow,
  watch: async () => (await import('./tasks-watch.js')).registerTasksWatch,
  tree: async () => (await import('./tasks-tree.js')).registerTasksTree,
  logs: async () => (await import('./tasks-logs.js')).registerTasksLogs,
  diff: async () => (await import('./tasks-diff.js')).registerTasksDiff,
  download: async () => (await import('./tasks-download.js')).registerTasksDownload,
  export: async () => (await import('./tasks-export.js')).registerTasksExport,
  import: async () => (await import('./tasks-import.js')).registerTasksImport,
  prompts: async () => (await import('./tasks-prompts.js')).registerTasksPrompts,
  transitions: async () => (await import('./tasks-transitions.js')).registerTasksTransitions,
  transition: async () => (await import('./tasks-transitions.js')).registerTasksTransition,
};
const ALIASES = { ls: 'list' };

/** Loads what the words of the command line name, as watching brings much that a list does without; all when they name none of it. */
export async function registerTasks(
  program: Command,
  context: Context,
  words: ReadonlySet<string>,
): Promise<void> {
  const tasks = program.command('tasks').alias('task');
  withExamples(tasks, [
    ['bullpen tasks list --state running,waiting', 'what is in progress'],
    ['bullpen tasks watch task_…', 'a tree of tasks, live'],
    ['bullpen tasks logs task_… --follow', 'what was said and done'],
  ]);
  const isNamed = (name: string): boolean =>
    words.has(name) || Object.entries(ALIASES).some(([alias, of]) => of === name && words.has(alias));
  const named = Object.entries(SUBCOMMANDS).filter(([name]) => isNamed(name));
  // One after the other, as the commands themselves.
  for (const [, load] of named.length > 0 ? named : Object.entries(SUBCOMMANDS))
    (await load())(tasks, context);
}
