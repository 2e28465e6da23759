/**
 * A conversation on the screen: answers go to stdout, piece by piece where somebody looks on; tool calls and all else go to stderr,
 * one line each.
 */
import type { StreamItem } from '@bullpen/client';
import { isTerminal, type TaskEvent } from '@bullpen/contracts';
import type { Io } from '../io.js';
import { HeldOutput } from '../live/held-output.js';
import { FlowingText } from '../render/flowing-text.js';
import { plainText } from '../render/plain-text.js';
import { Transcript } from '../render/transcript.js';
import { wrap } from '../render/width.js';

export interface ChatView {
  onItem(item: StreamItem): void;
  /** A message that is on the screen already because it was typed there. */
  typed(text: string): void;
  /** The answer is complete, or will not be. */
  settle(): void;
  hold(): void;
  release(): void;
}

export interface ChatViewOptions {
  readonly io: Io;
  readonly rootId: string;
  /** Each answer as a JSON line. */
  readonly json: boolean;
}

/** Prints a task as a conversation. Answers appear word by word on a terminal, whole elsewhere. */
export function chatView(options: ChatViewOptions): ChatView {
  const { io, rootId, json } = options;
  const answers = io.stdoutIsTerminal && !json ? streamedAnswers(io) : wholeAnswers(options);
  const lines = new HeldOutput((text) => {
    answers.breakLine();
    io.err(text);
  });
  const transcript = new Transcript({ rootId, width: io.columns(), colors: io.errColors, everything: false });
  const typed: string[] = [];
  return {
    onItem: (item) => {
      if (item.taskId === rootId && isConversation(item)) {
        if (item.type === 'message.delta') answers.piece(item.data);
        if (item.type === 'message.agent') answers.whole(item.data);
        if (item.type === 'message.user') quote(item);
        return;
      }
      for (const line of isQuiet(item, rootId) ? [] : transcript.push(item)) lines.line(line);
    },
    typed: (text) => void typed.push(text),
    settle: () => answers.settle(),
    hold: () => {
      answers.breakLine();
      lines.hold();
    },
    release: () => lines.release(),
  };

  /** What somebody else said, or what was said before: what was typed here is not shown twice. */
  function quote({ data }: Extract<TaskEvent, { type: 'message.user' }>): void {
    if (data.source === 'harness') return;
    const at = typed.indexOf(data.text);
    if (at >= 0) return void typed.splice(at, 1);
    answers.settle();
    for (const line of wrap(plainText(data.text).trimEnd(), io.columns() - 2))
      lines.line(io.errColors.dim(`> ${line}`));
  }
}

interface Answers {
  piece(data: { messageId: string; offset: number; text: string }): void;
  whole(data: { messageId: string; text: string }): void;
  /** Something else comes on the next line. */
  breakLine(): void;
  settle(): void;
}

function streamedAnswers(io: Io): Answers {
  let message = { id: '', taken: 0 };
  const text = new FlowingText(() => io.columns());
  const show = (fresh: string): void => {
    if (fresh !== '') io.outPiece(fresh);
  };
  const breakLine = (): void => {
    if (text.inLine) io.outPiece('\n');
    text.lineBroken();
  };
  const settle = (): void => {
    show(text.end());
    breakLine();
  };
  const begin = (id: string): void => {
    if (message.id === id) return;
    settle();
    message = { id, taken: 0 };
  };
  return {
    piece: ({ messageId, offset, text: piece }) => {
      begin(messageId);
      // After a gap the rest of the message comes with its stored event.
      if (offset > message.taken) return;
      const fresh = piece.slice(message.taken - offset);
      message.taken += fresh.length;
      show(text.push(fresh));
    },
    whole: ({ messageId, text: all }) => {
      begin(messageId);
      show(text.push(all.slice(message.taken)));
      message.taken = all.length;
      settle();
    },
    breakLine,
    settle,
  };
}

/** The last thing said before it is the user's turn is the answer; what came before was about the work. */
function wholeAnswers({ io, rootId, json }: ChatViewOptions): Answers {
  let last: string | null = null;
  return {
    piece: () => undefined,
    whole: ({ text }) => {
      if (last !== null) io.err(io.errColors.dim(plainText(last).trimEnd()));
      last = text.trim() === '' ? last : text;
    },
    breakLine: () => undefined,
    settle: () => {
      if (last !== null)
        io.out(json ? JSON.stringify({ taskId: rootId, text: last }) : plainText(last).trimEnd());
      last = null;
    },
  };
}

const CONVERSATION = ['message.delta', 'message.agent', 'message.user'] as const;

function isConversation(
  item: StreamItem,
): item is Extract<StreamItem, { type: (typeof CONVERSATION)[number] }> {
  return (CONVERSATION as readonly string[]).includes(item.type);
}

/** That the conversation waits for its user is plain to see; the caller says how it ended. */
function isQuiet(item: StreamItem, rootId: string): boolean {
  if (item.taskId !== rootId || item.type !== 'task.status_changed') return false;
  return item.data.reason === 'message' || item.data.to === 'paused' || isTerminal(item.data.to);
}
