/** Commands inside a chat. */
import { Autonomy } from '@bullpen/contracts';
import type { Client, Context } from '../context.js';
import { tokens, usd } from '../render/format.js';
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
  reset: { usage: '/reset', what: 'begin anew; this conversation is kept', run: reset },
  mode: { usage: `/mode ${Autonomy.options.join('|')}`, what: 'how much it may do without you', run: mode },
  open: { usage: '/open', what: 'ask again what was left open', run: askAgain },
  cost: { usage: '/cost', what: 'what it has cost so far', run: cost },
  undo: { usage: '/undo', what: 'take the last exchange back, files included', run: undo },
  help: { usage: '/help', what: 'this', run: help },
  quit: { usage: '/quit', what: 'leave; the conversation waits for you', run: () => Promise.resolve('quit') },
};

/** The command that a line means, or null for a message. A path such as `/etc/hosts` is no command. */
export function slashOf(line: string): { name: string; rest: string } | null {
  const parts = /^\/([a-z]+)(?:\s+(.*))?$/.exec(line.trim());
  return parts === null ? null : { name: parts[1] ?? '', rest: parts[2]?.trim() ?? '' };
}

export async function runSlash(chat: Chat, name: string, rest: string): Promise<Next> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(chat, rest);
  chat.context.io.err(`There is no /${name}; /help lists what there is.`);
  return 'read';
}

async function reset(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  if (chat.session !== null) {
    io.err(io.errColors.dim(`Kept; go back to it with: bullpen chat --resume ${chat.session.taskId}`));
    await chat.session.leave();
    chat.session = null;
  }
  io.err(io.errColors.dim('A new conversation begins with your next message.'));
  return 'read';
}

async function mode(chat: Chat, rest: string): Promise<Next> {
  const { io } = chat.context;
  const wanted = Autonomy.safeParse(rest);
  if (!wanted.success) io.err(`Say which: ${COMMANDS['mode']?.usage}`);
  else {
    if (chat.session !== null) await chat.client.tasks.switchAutonomy(chat.session.taskId, wanted.data);
    chat.autonomy = wanted.data;
    io.err(io.errColors.dim(`autonomy ${wanted.data}`));
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
      `${usd(tree.costUsd)}${simulated} of ${budget.limitUsd === null ? 'no limit' : usd(budget.limitUsd)} · ${tokens(tree)} · ${tree.modelCalls} model calls`,
    );
  }
  return 'read';
}

async function undo(chat: Chat): Promise<Next> {
  const { io } = chat.context;
  if (chat.session === null) io.err('Nothing to take back.');
  else {
    const { text } = await chat.client.tasks.rewind(chat.session.taskId, { turns: 1 });
    io.err(io.errColors.dim(`Taken back: ${text}`));
  }
  return 'read';
}

function help(chat: Chat): Promise<Next> {
  const shown = Object.values(COMMANDS);
  const width = Math.max(...shown.map(({ usage }) => usage.length));
  const lines = shown.map(({ usage, what }) => `  ${usage.padEnd(width)}  ${what}`);
  const keys = '  \\ at the end of a line goes on in the next one; Ctrl-C cuts an answer off; Ctrl-D leaves';
  chat.context.io.err([...lines, keys].join('\n'));
  return Promise.resolve('read');
}
