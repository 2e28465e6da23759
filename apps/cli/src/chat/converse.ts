/** The loop of a chat: a message, then whatever the agent does with it, until the user has the word again. */
import type { CreateTaskInput, TaskView } from '@bullpen/contracts';
import type { Connection, Context } from '../context.js';
import { Attendant } from '../people/attendant.js';
import { outcomeLines } from '../render/outcome.js';
import { chatView } from './chat-view.js';
import type { InputHistory } from './history-file.js';
import { readMessage } from './line-editor.js';
import { ChatSession, type SessionOptions } from './session.js';
import { runSlash, slashOf, type Chat, type Next } from './slash.js';

export interface ConverseOptions {
  readonly context: Context;
  readonly connection: Connection;
  /** The task that the first message begins, but for prompt and autonomy. */
  readonly body: CreateTaskInput;
  readonly autonomy: Chat['autonomy'];
  readonly resume: TaskView | null;
  readonly history: InputHistory;
  readonly json: boolean;
}

/** Resolves with the chat when its user leaves or the input ends; the task of the conversation stays. */
export async function converse(options: ConverseOptions): Promise<Chat> {
  const { context, connection, resume } = options;
  const chat: Chat = { context, client: connection.client, session: null, autonomy: options.autonomy };
  connection.onTrouble = (message) =>
    context.io.err(context.io.errColors.yellow(message ?? 'connected again'));
  const messages = messagesOf(options);
  try {
    let next: Next = 'read';
    if (resume !== null) {
      chat.session = ChatSession.of(resume, connection, sessionOptions(options));
      next = await settle(chat);
    }
    while (next !== 'quit') {
      const read = await messages.next();
      if (read.done === true) break;
      next = await hear(options, chat, read.value);
    }
    return chat;
  } finally {
    await chat.session?.leave();
  }
}

async function hear(options: ConverseOptions, chat: Chat, text: string): Promise<Next> {
  const slash = slashOf(text);
  if (slash !== null) {
    const next = await runSlash(chat, slash.name, slash.rest);
    return next === 'settle' ? settle(chat) : next;
  }
  if (chat.session === null) {
    const body = { ...options.body, prompt: text, autonomy: chat.autonomy };
    chat.session = await ChatSession.begin(body, options.connection, sessionOptions(options));
  } else await chat.session.say(text);
  return settle(chat);
}

/** Waits until the user has the word; meanwhile Ctrl-C cuts the answer off, and a second one leaves. */
async function settle(chat: Chat): Promise<Next> {
  const { session, context } = chat;
  const { io } = context;
  if (session === null) return 'read';
  let release = (): void => undefined;
  const left = new Promise<'left'>((resolve) => {
    release = context.onInterrupt((times) => {
      if (times > 1) return resolve('left');
      io.err(io.errColors.dim('\nCutting off …'));
      session.interrupt().catch((error: unknown) => {
        io.err(io.errColors.red(error instanceof Error ? error.message : String(error)));
        resolve('left');
      });
    });
  });
  try {
    const settled = await Promise.race([session.settled(), left]);
    if (settled === 'left') return 'quit';
    if (settled === 'stopped') io.err(io.errColors.dim('Cut off. It goes on with your next message.'));
    if (settled === 'put_off')
      io.err(io.errColors.dim('/open asks again; a message of yours is heard instead.'));
    if (settled === 'ended') await tellEnd(chat, session);
    return 'read';
  } finally {
    release();
  }
}

/** A conversation ends when something went wrong, at a limit, or because somebody cancelled it. */
async function tellEnd(chat: Chat, session: ChatSession): Promise<void> {
  const { io } = chat.context;
  const [task, usage] = await Promise.all([
    chat.client.tasks.get(session.taskId),
    chat.client.tasks.usage(session.taskId),
  ]);
  io.err(outcomeLines(task, usage, io.errColors).join('\n'));
  if (task.state === 'failed') io.err(`${io.errColors.cyan('next:')} try again: bullpen retry ${task.id}`);
  io.err(io.errColors.dim('Your next message begins a new conversation.'));
  await session.leave();
  chat.session = null;
}

function sessionOptions({
  context,
  connection,
  json,
}: ConverseOptions): (task: TaskView) => Omit<SessionOptions, 'connection' | 'task'> {
  const { io } = context;
  return (task) => {
    const view = chatView({ io, rootId: task.id, json });
    io.err(io.errColors.dim(`${task.id} · ${task.agent} · ${task.model} · ${task.autonomy}`));
    return {
      view,
      attendantFor: (signal, onError) =>
        Attendant.atTerminal({
          context,
          client: connection.client,
          screen: view,
          signal,
          // It stays open, and the user has the word.
          onInterrupt: () => undefined,
          onError,
        }),
    };
  };
}

/** What the user says: typed at a terminal, or a line each of what comes in. */
async function* messagesOf({ context, history }: ConverseOptions): AsyncGenerator<string> {
  const { io } = context;
  const { terminal } = io;
  if (terminal === null) {
    for await (const line of io.lines()) if (line.trim() !== '') yield line;
    return;
  }
  let warned = false;
  for (;;) {
    const typed = await readMessage(terminal, history, '> ');
    if (typed.kind === 'end' || (typed.kind === 'interrupt' && warned)) return;
    warned = typed.kind === 'interrupt';
    if (typed.kind === 'message') yield typed.text;
    else io.err(io.errColors.dim('Ctrl-C again, Ctrl-D or /quit leaves.'));
  }
}
