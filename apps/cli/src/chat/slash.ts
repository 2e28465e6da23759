/** Commands inside a chat. */
import { Autonomy, type InboxMessageView } from '@bullpen/contracts';
import type { Client, Context } from '../context.js';
import { isPending, readMessages } from '../live/inbox-messages.js';
import { plural, tokens, usd } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import type { ChatSession } from './session.js';

/** What a chat is made of, as its commands see it. */
export interface Chat {
  readonly context: Context;
  readonly client: Client;
  session: ChatSession | null;
  /** Of the conversation that is yet to begin. */
  autonomy: Autonomy;
}

/** What the chat does next. */
export type Next = 'read' | 'settle' | 'quit';

interface Slash {
  readonly usage: string;
  readonly what: string;
  run(chat: Chat, rest: string): Promise<Next>;
}

const COMMANDS: Readonly<Record<string, Slash>> = {
  reset: { usage: '/reset', what: 'start a new conversation; this one is kept', run: reset },
  mode: {
    usage: `/mode ${Autonomy.options.join('|')}`,
    what: 'how much the agent may do without you',
    run: mode,
  },
  open: { usage: '/open', what: 'show again what you left open', run: askAgain },
  cost: { usage: '/cost', what: 'the cost so far', run: cost },
  undo: { usage: '/undo', what: 'undo the last exchange, but not what tools did', run: undo },
  messages: { usage: '/messages', what: 'your messages that the agent has not read yet', run: messages },
  edit: { usage: '/edit N text', what: 'change message N of these', run: edit },
  withdraw: { usage: '/withdraw N', what: 'withdraw message N of these', run: withdraw },
  help: { usage: '/help', what: 'show these commands', run: help },
  quit: { usage: '/quit', what: 'leave; the conversation waits for you', run: () => Promise.resolve('quit') },
};

/** The command that a line means, or null for a message: a path such as `/etc/hosts` is no command, and several lines are none. */
export function slashOf(line: string): { name: string; rest: string } | null {
  const parts = /^\/([a-z]+)(?:[ \t]+(.*))?$/.exec(line.trim());
  return parts === null ? null : { name: parts[1] ?? '', rest: parts[2]?.trim() ?? '' };
}

/** Those that make no sense while the agent works. */
const AT_REST = ['reset', 'undo', 'open'];

/** Whether a command has to wait for the user's turn. */
export function needsRest(name: string): boolean {
  return AT_REST.includes(name);
}

/** Does what `/name rest` asks, and tells how the chat goes on. An unknown name is told to the user and sent to nobody. */
export async function runSlash(chat: Chat, name: string, rest: string): Promise<Next> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const { io } = chat.context;
  if (command === undefined) io.err(`There is no command /${name}; /help lists them all.`);
  // A sentence that happens to begin with a command is not one.
  else if (rest !== '' && !command.usage.includes(' '))
    io.err(`Nothing was done: /${name} takes no arguments.`);
  else return command.run(chat, rest);
  return 'read';
}

async function reset(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  if (chat.session !== null) {
    io.err(
      io.errColors.dim(
        `The conversation is kept. Go back to it: bullpen chat --resume ${chat.session.taskId}`,
      ),
    );
    await chat.session.leave();
    chat.session = null;
  }
  io.err(io.errColors.dim('Your next message starts a new conversation.'));
  return 'read';
}

async function mode(chat: Chat, rest: string): Promise<Next> {
  const { io } = chat.context;
  const wanted = Autonomy.safeParse(rest);
  if (!wanted.success) io.err(`Usage: ${COMMANDS['mode']?.usage}`);
  else {
    if (chat.session !== null) await chat.client.tasks.switchAutonomy(chat.session.taskId, wanted.data);
    chat.autonomy = wanted.data;
    io.err(io.errColors.dim(`autonomy: ${wanted.data}`));
  }
  return 'read';
}

function askAgain(chat: Chat): Promise<Next> {
  if (chat.session?.askAgain() === true) return Promise.resolve('settle');
  chat.context.io.err('Nothing was left open.');
  return Promise.resolve('read');
}

async function cost(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  if (chat.session === null) io.err('Nothing yet.');
  else {
    const { tree, budget } = await chat.client.tasks.usage(chat.session.taskId);
    const simulated = tree.simulated ? ' (simulated)' : '';
    io.err(
      `${usd(tree.costUsd)}${simulated} of ${budget.limitUsd === null ? 'no limit' : usd(budget.limitUsd)} · ${tokens(tree)} · ${plural(tree.modelCalls, 'model call')}`,
    );
  }
  return 'read';
}

async function undo(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  if (chat.session === null) io.err('Nothing to undo.');
  else {
    const { text } = await chat.client.tasks.rewind(chat.session.taskId, { turns: 1 });
    io.err(io.errColors.dim(`Undone: ${text}`));
  }
  return 'read';
}

async function messages(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  const pending = await pendingOf(chat);
  if (pending.length === 0) io.err('The agent has read everything.');
  else io.err(pending.map(({ text }, index) => `  ${index + 1}  ${oneLine(text)}`).join('\n'));
  return 'read';
}

async function edit(chat: Chat, rest: string): Promise<Next> {
  const { number, words } = /^(?<number>\d+)\s+(?<words>\S.*)$/s.exec(rest)?.groups ?? {};
  const message = await numbered(chat, number, '/edit N text');
  if (message === null || words === undefined || chat.session === null) return 'read';
  await chat.client.tasks.editMessage(chat.session.taskId, message.id, words);
  chat.context.io.err(chat.context.io.errColors.dim(`The agent will read: ${oneLine(words)}`));
  return 'read';
}

async function withdraw(chat: Chat, rest: string): Promise<Next> {
  const message = await numbered(chat, /^\d+$/.exec(rest)?.[0], '/withdraw N');
  if (message === null || chat.session === null) return 'read';
  await chat.client.tasks.withdrawMessage(chat.session.taskId, message.id);
  chat.context.io.err(chat.context.io.errColors.dim(`Withdrawn: ${oneLine(message.text)}`));
  return 'read';
}

/** The message with this number in `/messages`; null when there is none, which is said. */
async function numbered(
  chat: Chat,
  number: string | undefined,
  usage: string,
): Promise<InboxMessageView | null> {
  const message = (await pendingOf(chat))[Number(number) - 1];
  if (message === undefined)
    chat.context.io.err(
      number === undefined
        ? `Usage: ${usage}`
        : `There is no message ${number}; /messages lists what the agent has not read.`,
    );
  return message ?? null;
}

async function pendingOf({ client, session }: Chat): Promise<InboxMessageView[]> {
  return session === null ? [] : (await readMessages(client, session.taskId)).filter(isPending);
}

function help(chat: Chat): Promise<Next> {
  const shown = Object.values(COMMANDS);
  const width = Math.max(...shown.map(({ usage }) => usage.length));
  const lines = shown.map(({ usage, what }) => `  ${usage.padEnd(width)}  ${what}`);
  const working = '  While the agent works, it reads what you type at its next step.';
  const keys = '  End a line with \\ to go on in the next one; Ctrl-C interrupts an answer; Ctrl-D leaves';
  chat.context.io.err([...lines, working, keys].join('\n'));
  return Promise.resolve('read');
}
