/** Reads one message at a terminal: history with the arrow keys, several lines by a trailing backslash or by pasting them. */
import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import type { Io, PinnedLine, Terminal } from '../io.js';
import type { InputHistory } from './history-file.js';

export type Typed =
  | { readonly kind: 'message'; readonly text: string }
  /** Ctrl-C on an empty line. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: 'end' }
  /** Somebody else needs the terminal; this is what was typed so far. */
  | { readonly kind: 'held'; readonly draft: Draft };

/** A message that is being typed: its lines that are complete, and the one under the cursor. */
export interface Draft {
  readonly lines: readonly string[];
  readonly line: string;
}

export const NO_DRAFT: Draft = { lines: [], line: '' };

/** Lines that come faster than anybody types belong together. */
export const PASTE_MS = 40;

export interface MessageOptions {
  readonly history: InputHistory;
  readonly prompt: string;
  readonly draft: Draft;
  /** Gives the terminal to somebody else at once. */
  readonly held: AbortSignal;
}

/** The terminal is held only while a message is typed, so that prompts and the editor can have it in between. */
export function readMessage(
  io: Pick<Io, 'pin'>,
  { input, output }: Terminal,
  { history, prompt, draft, held }: MessageOptions,
): Promise<Typed> {
  const editor = createInterface({
    input,
    output,
    terminal: true,
    prompt,
    history: [...history.lines],
    historySize: 500,
    removeHistoryDuplicates: true,
  });
  const pinned = pinnedLine(editor, output);
  const unpin = io.pin(pinned);
  return new Promise<Typed>((resolve) => {
    const lines = [...draft.lines];
    let timer: NodeJS.Timeout | null = null;
    let ended = false;
    const end = (typed: Typed): void => {
      // Closing ends the input once more.
      if (ended) return;
      ended = true;
      if (timer !== null) clearTimeout(timer);
      held.removeEventListener('abort', onHeld);
      unpin();
      editor.close();
      resolve(typed);
    };
    const onHeld = (): void => {
      pinned.clear();
      end({ kind: 'held', draft: { lines, line: editor.line } });
    };
    held.addEventListener('abort', onHeld, { once: true });
    const settle = (): void => {
      // The last line of what was pasted had no end: it can still be edited.
      if (editor.line !== '') return;
      if (isUnfinished(lines)) {
        editor.setPrompt('… ');
        return editor.prompt();
      }
      const text = joinLines(lines);
      lines.length = 0;
      if (text.trim() !== '') return end({ kind: 'message', text });
      editor.setPrompt(prompt);
      editor.prompt();
    };
    editor.on('history', (kept) => history.save(kept));
    editor.on('line', (line) => {
      lines.push(line);
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(settle, PASTE_MS);
    });
    editor.on('SIGINT', () => {
      if (editor.line === '' && lines.length === 0) return end({ kind: 'interrupt' });
      lines.length = 0;
      editor.write(null, { ctrl: true, name: 'e' });
      editor.write(null, { ctrl: true, name: 'u' });
      editor.setPrompt(prompt);
      editor.prompt();
    });
    editor.on('close', () => end({ kind: 'end' }));
    for (const line of lines) output.write(`${prompt}${line}\n`);
    if (lines.length > 0) editor.setPrompt('… ');
    editor.prompt();
    editor.write(draft.line);
    if (held.aborted) onHeld();
  });
}

/** A backslash at the end says that there is more. */
export function isUnfinished(lines: readonly string[]): boolean {
  return lines.at(-1)?.endsWith('\\') === true;
}

/** The lines of one message. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line, at) => (at < lines.length - 1 ? line.replace(/\\$/, '') : line)).join('\n');
}

/** What is being typed goes off the screen for a line of output, and comes again below it. */
function pinnedLine(editor: Interface, output: NodeJS.WriteStream): PinnedLine {
  return {
    clear: () => {
      moveCursor(output, 0, -editor.getCursorPos().rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      // Readline remembers how many rows it had drawn above the cursor, and would go up so far.
      Object.assign(editor, { prevRows: 0 });
    },
    redraw: () => editor.prompt(true),
  };
}
