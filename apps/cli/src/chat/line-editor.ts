/** Reads one message at a terminal: history with the arrow keys, several lines by a trailing backslash or by pasting them. */
import { createInterface } from 'node:readline';
import type { Terminal } from '../io.js';
import type { InputHistory } from './history-file.js';

export type Typed =
  | { readonly kind: 'message'; readonly text: string }
  /** Ctrl-C on an empty line. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: 'end' };

/** Lines that come faster than anybody types belong together. */
const PASTE_MS = 40;

/** The terminal is held only while a message is typed, so that prompts and the editor can have it in between. */
export function readMessage(terminal: Terminal, history: InputHistory, prompt: string): Promise<Typed> {
  const { input, output } = terminal;
  const editor = createInterface({
    input,
    output,
    terminal: true,
    prompt,
    history: [...history.lines],
    historySize: 500,
    removeHistoryDuplicates: true,
  });
  return new Promise((resolve) => {
    const lines: string[] = [];
    let timer: NodeJS.Timeout | null = null;
    const end = (typed: Typed): void => {
      if (timer !== null) clearTimeout(timer);
      // Only the first counts: closing ends the input once more.
      resolve(typed);
      editor.close();
    };
    const settle = (): void => {
      // The last line of what was pasted had no end: it can still be edited.
      if (editor.line !== '') return;
      if (lines.at(-1)?.endsWith('\\') === true) {
        editor.setPrompt('… ');
        return editor.prompt();
      }
      const text = lines
        .map((line, at) => (at < lines.length - 1 ? line.replace(/\\$/, '') : line))
        .join('\n');
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
    editor.prompt();
  });
}
