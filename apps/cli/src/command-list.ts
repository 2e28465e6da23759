/**
 * All commands in the order in which help lists them. What help says of them stands here, so that it has to load none: together they
 * bring half of the product along.
 */
import type { Command } from 'commander';
import type { Context } from './context.js';

/** `words` are those of the command line, for a command that loads its own by them. */
export type Register = (
  program: Command,
  context: Context,
  words: ReadonlySet<string>,
) => void | Promise<void>;

interface ListedCommand {
  /** What follows the name in help, as its `register` function declares it. */
  readonly usage: string;
  readonly summary: string;
  load(): Promise<Register>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  up: {
    usage: '[options]',
    summary: 'start everything: database, gateway, workers, and a model simulator when there is no API key',
    load: async () => (await import('./commands/up.js')).registerUp,
  },
  demo: {
    usage: '[dir]',
    summary: 'have a lead agent and its subtasks survey a copy of a folder and write a report',
    load: async () => (await import('./commands/demo.js')).registerDemo,
  },
  run: {
    usage: '[options] [prompt]',
    summary: 'submit a task and watch it live; its output goes to stdout, everything else to stderr',
    load: async () => (await import('./commands/run.js')).registerRun,
  },
  submit: {
    usage: '[options] [prompt]',
    summary: 'submit a task and print its id, without waiting for it',
    load: async () => (await import('./commands/submit.js')).registerSubmit,
  },
  chat: {
    usage: '[options]',
    summary: 'talk to an agent; it asks before it changes anything',
    load: async () => (await import('./commands/chat.js')).registerChat,
  },
  inbox: {
    usage: '[options] [id]',
    summary: 'what waits for you: approvals, questions, plans, budgets; oldest first',
    load: async () => (await import('./commands/inbox.js')).registerInbox,
  },
  approve: {
    usage: '[options] [id...]',
    summary: 'allow a call that waits for you, or accept a plan',
    load: async () => (await import('./commands/approve.js')).registerApprove,
  },
  deny: {
    usage: '[options] [id...]',
    summary: 'refuse a call that waits for you, or send a plan back; the agent goes on without it',
    load: async () => (await import('./commands/deny.js')).registerDeny,
  },
  answer: {
    usage: '[options] <id> [text]',
    summary: "answer an agent's question, raise its budget or give it advice",
    load: async () => (await import('./commands/answer.js')).registerAnswer,
  },
  mode: {
    usage: '<task> <autonomy>',
    summary: 'change how much a task may do without you, from its next step on',
    load: async () => (await import('./commands/mode.js')).registerMode,
  },
  tasks: {
    usage: '',
    summary: 'list, show, watch and export tasks, and what they changed',
    load: async () => (await import('./commands/tasks.js')).registerTasks,
  },
  processes: {
    usage: '',
    summary: 'what agents run: list, show, read and end it',
    load: async () => (await import('./commands/processes.js')).registerProcesses,
  },
  checkpoints: {
    usage: '',
    summary: "stored states of a task's files: list them, show what changed, go back or on from one",
    load: async () => (await import('./commands/checkpoints.js')).registerCheckpoints,
  },
  workspaces: {
    usage: '[options]',
    summary: 'where the files of tasks are, and what they take',
    load: async () => (await import('./commands/workspaces.js')).registerWorkspaces,
  },
  apply: {
    usage: '[options] <task>',
    summary: 'bring what a task changed into your folder, or onto a new branch',
    load: async () => (await import('./commands/apply.js')).registerApply,
  },
  cancel: {
    usage: '[options] <id...>',
    summary: 'end a task and its subtasks; what they have done so far is kept',
    load: async () => (await import('./commands/cancel.js')).registerCancel,
  },
  pause: {
    usage: '[options] <id...>',
    summary: 'stop a task and its subtasks for now; nothing is lost, and no slot stays taken',
    load: async () => (await import('./commands/pause.js')).registerPause,
  },
  resume: {
    usage: '<id...>',
    summary: 'let a paused task and its subtasks go on',
    load: async () => (await import('./commands/resume.js')).registerResume,
  },
  interrupt: {
    usage: '<id> [message]',
    summary: 'stop what a task is doing now, and tell it what to do instead',
    load: async () => (await import('./commands/interrupt.js')).registerInterrupt,
  },
  retry: {
    usage: '[options] [id]',
    summary: 'give a failed task another attempt from where it stopped, or run an ended one again',
    load: async () => (await import('./commands/retry.js')).registerRetry,
  },
  failures: {
    usage: '[options]',
    summary: 'failed tasks, grouped by how they failed',
    load: async () => (await import('./commands/failures.js')).registerFailures,
  },
  message: {
    usage: '[options] <id> <text>',
    summary: 'send a message to a task, which reads it before its next turn; an ended one goes on with it',
    load: async () => (await import('./commands/message.js')).registerMessage,
  },
  messages: {
    usage: '',
    summary: 'messages sent to a task; unread ones can be changed',
    load: async () => (await import('./commands/messages.js')).registerMessages,
  },
  rewind: {
    usage: '[options] <id>',
    summary: 'undo the latest part of a conversation, but not what tools did',
    load: async () => (await import('./commands/rewind.js')).registerRewind,
  },
  set: {
    usage: '[options] <id>',
    summary: 'change the title, priority, tags or deadline of a task that has not ended',
    load: async () => (await import('./commands/set.js')).registerSet,
  },
  usage: {
    usage: '[options]',
    summary: 'tokens and cost: in total, or of one task and its tree',
    load: async () => (await import('./commands/usage.js')).registerUsage,
  },
  search: {
    usage: '[options] <words...>',
    summary: 'tasks by what was said in them: titles, prompts, messages',
    load: async () => (await import('./commands/search.js')).registerSearch,
  },
  queues: {
    usage: '',
    summary: 'whether work flows: depth, rates, waits; pause, drain or open the queue',
    load: async () => (await import('./commands/queues.js')).registerQueues,
  },
  workers: {
    usage: '',
    summary: 'who runs what now; pause, drain or open a worker',
    load: async () => (await import('./commands/workers.js')).registerWorkers,
  },
  providers: {
    usage: '',
    summary: 'provider keys: open, paused by the provider, or parked until you fix them',
    load: async () => (await import('./commands/providers.js')).registerProviders,
  },
  policy: {
    usage: '',
    summary: 'what agents may do without asking: test, show, change',
    load: async () => (await import('./commands/policy.js')).registerPolicy,
  },
  tenants: {
    usage: '',
    summary: 'list, create and change tenants (needs an admin key)',
    load: async () => (await import('./commands/tenants.js')).registerTenants,
  },
  webhooks: {
    usage: '',
    summary: 'signed messages to your own address about what waits for you and what ended',
    load: async () => (await import('./commands/webhooks.js')).registerWebhooks,
  },
  context: {
    usage: '',
    summary: 'names for the places where Bullpen runs, usable from any folder',
    load: async () => (await import('./commands/context.js')).registerContext,
  },
  agents: {
    usage: '',
    summary: 'the agents that tasks can use',
    load: async () => (await import('./commands/agents.js')).registerAgents,
  },
  modes: {
    usage: '',
    summary: 'the kinds of work a task can be doing, and which of them a text asks for',
    load: async () => (await import('./commands/modes.js')).registerModes,
  },
  models: {
    usage: '',
    summary: 'the models and model profiles that tasks can be given, with their prices',
    load: async () => (await import('./commands/models.js')).registerModels,
  },
  index: {
    usage: '[options]',
    summary: 'symbols, calls and imports of a folder: read it, find, follow; without a server',
    load: async () => (await import('./commands/code-index.js')).registerCodeIndex,
  },
  open: {
    usage: '',
    summary: 'print a one-time link that logs your browser in to the dashboard',
    load: async () => (await import('./commands/open.js')).registerOpen,
  },
  doctor: {
    usage: '[options]',
    summary: 'check this machine, the data and what is running; exit code 1 when something needed is missing',
    load: async () => (await import('./commands/doctor.js')).registerDoctor,
  },
  migrate: {
    usage: '',
    summary: 'update the database to this version: DATABASE_URL, or the embedded one',
    load: async () => (await import('./commands/migrate.js')).registerMigrate,
  },
  prune: {
    usage: '[options]',
    summary: 'delete task trees that ended long ago, with their workspaces; their usage stays counted',
    load: async () => (await import('./commands/prune.js')).registerPrune,
  },
  completion: {
    usage: '<shell>',
    summary: 'print a script that completes commands and options',
    load: async () => (await import('./commands/completion.js')).registerCompletion,
  },
};
/** Needs to know all others. */
export const COMPLETION = 'completion';
export const ALIASES: Readonly<Record<string, string>> = { task: 'tasks', send: 'message' };
