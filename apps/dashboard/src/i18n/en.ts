/** English. Short sentences, second person; the words of the command line for states and verbs. */
export const en = {
  'nav.main': 'Main',
  'nav.tasks': 'Tasks',

  'live.on': 'Live',
  'live.again': 'Connecting again',
  'live.seenAt': 'What you see is from {time}.',

  'missing.title': 'There is no such page',
  'missing.toTasks': 'To the tasks',
  'broken.title': 'This could not be shown',
  'broken.details': 'Details',
  'action.tryAgain': 'Try again',

  'state.queued': 'Queued',
  'state.running': 'Running',
  'state.waiting': 'Waits',
  'state.paused': 'Paused',
  'state.completed': 'Completed',
  'state.failed': 'Failed',
  'state.cancelled': 'Cancelled',
  'wait.children': 'Waits for subtasks',
  'wait.approval': 'Needs approval',
  'wait.answer': 'Needs an answer',
  'wait.message': 'Waits for a message',
  'wait.backoff': 'Tries again later',
  'wait.budget': 'Needs budget',
  'wait.provider': 'Waits for the provider',

  'cost.notPriced': 'not priced',
  'cost.partly': { one: '{n} call has no price', other: '{n} calls have no price' },

  'tasks.task': 'Task',
  'tasks.state': 'State',
  'tasks.agent': 'Agent',
  'tasks.cost': 'Cost',
  'tasks.time': 'Time',
  'tasks.changed': 'Changed',
  'tasks.more': 'Older tasks',
  'tasks.none': 'Give an agent something to do',
  'tasks.noneHow':
    'A worker drives it to the end, for minutes or for days. You may close this page: everything that happens is stored.',
} as const;
