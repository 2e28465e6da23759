/** The loop of a chat: a message, then whatever the agent does with it, until it is the user's turn again. */
import { ApiError } from '@bullpen/client';
import type { CreateTaskInput, TaskView } from '@bullpen/contracts';
import type { Connection, Context } from '../context.js';
import { renderError } from '../errors.js';
import { Attendant } from '../people/attendant.js';
import { PromptInterrupted, PromptWithdrawn, terminalPrompts } from '../people/prompts.js';
import { ifThere } from '../optional-part.js';
import { outcomeLines } from '../render/outcome.js';
import { heedCtrlC, type Breaks } from './breaks.js';
import { chatView } from './chat-view.js';
import { Ears } from './ears.js';
import { Floor } from './floor.js';
import type { InputHistory } from './history-file.js';
import { NO_DRAFT, readMessage } from './line-editor.js';
import { ChatSession, type SessionOptions } from './session.js';
import { needsRest, runSlash, slashOf, type Chat, type Next } from './slash.js';

export interface ConverseOptions {
  readonly context: Context;
  readonly connection: Connection;
  /** The task that the first message starts, except for prompt and autonomy. */
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
  const { terminal } = context.io;
  const ears = terminal === null ? null : new Ears(terminal.input);
  const hearing: Hearing = { ears, ahead: [], floor: new Floor() };
  connection.onTrouble = (message) =>
    context.io.err(context.io.errColors.yellow(message ?? 'connected again'));
  const messages = messagesOf(options, hearing);
  try {
    let next: Next = 'read';
    if (resume !== null) {
      const breaks = heedCtrlC(chat.context);
      try {
        chat.session = ChatSession.of(resume, connection, sessionOptions(options, hearing));
        next = await settle(chat, hearing, breaks);
      } finally {
        breaks.release();
      }
    }
    while (next !== 'quit') {
      const read = await messages.next();
      if (read.done === true) break;
      next = await hear(options, chat, hearing, read.value);
    }
    return chat;
  } finally {
    await chat.session?.leave();
  }
}

/** What is typed while the agent works. */
interface Hearing {
  /** Null where there is no terminal: then what comes in waits for its turn. */
  readonly ears: Ears | null;
  /** Typed so late that the user had the word again: the next messages. */
  readonly ahead: string[];
  /** Taken by whatever the agent asks, also while a message is being typed. */
  readonly floor: Floor;
}

async function hear(options: ConverseOptions, chat: Chat, hearing: Hearing, text: string): Promise<Next> {
  const breaks = heedCtrlC(chat.context);
  try {
    const next = await Promise.race([act(options, chat, hearing, text), breaks.left]);
    if (next === 'left') return 'quit';
    return next === 'settle' ? await settle(chat, hearing, breaks) : next;
  } catch (error) {
    // What the gateway refuses ends no conversation where somebody can say something else.
    if (!(error instanceof ApiError) || hearing.ears === null) throw error;
    tell(chat, error);
    return 'read';
  } finally {
    breaks.release();
  }
}

async function act(options: ConverseOptions, chat: Chat, hearing: Hearing, text: string): Promise<Next> {
  const slash = slashOf(text);
  if (slash !== null) return runSlash(chat, slash.name, slash.rest);
  if (chat.session === null) {
    const body = { ...options.body, prompt: text, autonomy: chat.autonomy };
    chat.session = await ChatSession.begin(body, options.connection, sessionOptions(options, hearing));
    return 'settle';
  }
  if (chat.session.hasPutOff && !(await meansIt(chat, hearing.floor))) return 'read';
  await chat.session.say(text);
  return 'settle';
}

/** A message withdraws what was left open: that takes more than the Enter that ends a line. */
async function meansIt({ context: { io }, session }: Chat, floor: Floor): Promise<boolean> {
  if (io.terminal === null || session === null) return true;
  const choices = [
    { value: 'send', label: 'Send it; the open request is withdrawn' },
    { value: 'keep', label: 'Do not send it', hint: 'the up arrow brings it back' },
  ] as const;
  const prompt = { message: 'Send your message instead of an answer?', choices, words: null };
  const signal = AbortSignal.any([session.left, await floor.free()]);
  try {
    const given = await terminalPrompts(io, io.terminal).choose(prompt, signal);
    return given?.choice === 'send';
  } catch (error) {
    if (error instanceof PromptInterrupted || error instanceof PromptWithdrawn) return false;
    throw error;
  }
}

/** While the agent works: a message waits for the end of the turn, and most commands do what they do. */
async function hearAtWork(chat: Chat, session: ChatSession, text: string): Promise<Next> {
  const { io } = chat.context;
  const slash = slashOf(text);
  if (slash === null) {
    await session.queue(text);
    io.err(
      io.errColors.dim(
        'The agent reads this at its next step; until then: /messages, /edit N text, /withdraw N.',
      ),
    );
    return 'settle';
  }
  if (!needsRest(slash.name)) return runSlash(chat, slash.name, slash.rest);
  io.err(io.errColors.dim(`The agent is working: press Ctrl-C to interrupt it, then type /${slash.name}.`));
  return 'settle';
}

function tell({ context: { io } }: Chat, error: unknown): void {
  io.err(renderError(error, io.errColors));
}

/** Waits for the user's turn; meanwhile Ctrl-C interrupts the answer, and a second one leaves. */
async function settle(chat: Chat, { ears, ahead }: Hearing, { left, atWork }: Breaks): Promise<Next> {
  const { session, context } = chat;
  const { io } = context;
  if (session === null) return 'read';
  atWork(session);
  const quit = new Promise<'left'>((resolve) =>
    ears?.open((text) => {
      if (text === null) return resolve('left');
      hearAtWork(chat, session, text)
        .then((next) => (next === 'quit' ? resolve('left') : undefined))
        .catch((error: unknown) => tell(chat, error));
    }),
  );
  try {
    const settled = await Promise.race([session.settled(), left, quit]);
    if (settled === 'left') return 'quit';
    if (settled === 'stopped')
      io.err(io.errColors.dim('Interrupted. The agent goes on with your next message.'));
    if (settled === 'put_off')
      io.err(io.errColors.dim('Type /open to be asked again, or send a message instead.'));
    if (settled === 'ended') await tellEnd(chat, session);
    return 'read';
  } finally {
    const late = ears?.close() ?? null;
    if (late !== null) ahead.push(late);
  }
}

/** A conversation ends when something went wrong, at a limit, or because somebody cancelled it. */
async function tellEnd(chat: Chat, session: ChatSession): Promise<void> {
  const { io } = chat.context;
  const { context, client } = chat;
  const [task, usage] = await Promise.all([
    client.tasks.get(session.taskId),
    ifThere(context, 'its usage', client.tasks.usage(session.taskId)),
  ]);
  io.err(outcomeLines(task, usage, io.errColors).join('\n'));
  if (task.state === 'failed') io.err(`${io.errColors.cyan('next:')} try again: bullpen retry ${task.id}`);
  io.err(io.errColors.dim('Your next message starts a new conversation.'));
  await session.leave();
  chat.session = null;
}

function sessionOptions(
  { context, connection, json }: ConverseOptions,
  { ears, floor }: Hearing,
): (task: TaskView) => Omit<SessionOptions, 'connection' | 'task'> {
  const { io } = context;
  return (task) => {
    const view = chatView({ io, rootId: task.id, json });
    const screen = {
      hold: () => {
        ears?.hold();
        floor.take();
        view.hold();
      },
      release: () => {
        view.release();
        floor.giveBack();
        ears?.release();
      },
    };
    io.err(io.errColors.dim(`${task.id} · ${task.agent} · ${task.model} · ${task.autonomy}`));
    return {
      view,
      attendantFor: (signal, onError) =>
        Attendant.atTerminal({
          context,
          client: connection.client,
          screen,
          signal,
          // It stays open, and it is the user's turn.
          onInterrupt: () => undefined,
          onError,
        }),
    };
  };
}

/** What the user says: typed at a terminal, or a line each of what comes in. */
async function* messagesOf(
  { context: { io }, history }: ConverseOptions,
  { ahead, floor }: Hearing,
): AsyncGenerator<string> {
  const { terminal } = io;
  if (terminal === null) {
    for await (const line of io.lines()) if (line.trim() !== '') yield line;
    return;
  }
  let warned = false;
  let draft = NO_DRAFT;
  for (;;) {
    const early = ahead.shift();
    if (early !== undefined) {
      yield early;
      continue;
    }
    const held = await floor.free();
    const typed = await readMessage(io, terminal, { history, prompt: '> ', draft, held });
    draft = typed.kind === 'held' ? typed.draft : NO_DRAFT;
    if (typed.kind === 'end' || (typed.kind === 'interrupt' && warned)) return;
    warned = typed.kind === 'interrupt';
    if (typed.kind === 'message') yield typed.text;
    if (warned) io.err(io.errColors.dim('To leave: Ctrl-C again, Ctrl-D or /quit.'));
  }
}
