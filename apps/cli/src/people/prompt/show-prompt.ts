/** Shows a prompt at the terminal until it has an outcome. */
import { createLogUpdate } from 'log-update';
import type { Io, Terminal } from '../../io.js';
import { oneLine } from '../../render/plain-text.js';
import { truncate } from '../../render/width.js';
import { textOf } from './draft.js';
import { KeyReader } from './keys.js';
import { listen, silence, withRawKeyboard } from './keyboard.js';
import { promptLines, recordLines, type PromptLook } from './prompt-lines.js';
import { openPrompt, pause, press, type Outcome, type Prompt, type PromptState } from './prompt.js';

export type Screen = Pick<Io, 'pin' | 'err' | 'errColors' | 'columns' | 'rows'>;

/** How long the keyboard must be silent before a prompt opens: keys in flight belong to something else. */
const QUIET_MS = 250;
/** Keys closer together than this are one burst: a paste, a held key, or the bytes of one key. Nobody types so fast. */
const BURST_MS = 60;
/** Whoever is typing when the prompt is taken away goes on for a moment. */
const LINGER_MS = 600;

/** Has the terminal mark what is pasted, where it can. */
const PASTE_MARKS = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** Null when the signal takes it away. */
export function showPrompt(
  screen: Screen,
  { input, output }: Terminal,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Outcome | null> {
  return withRawKeyboard(input, async () => {
    if (!(await silence(input, QUIET_MS))) return { kind: 'interrupted' };
    if (signal.aborted) return null;
    const unmark = (): void => void output.write(PASTE_MARKS.off);
    process.once('exit', unmark);
    output.write(PASTE_MARKS.on);
    try {
      const { state, lastKeyAt } = await answered(screen, { input, output }, prompt, signal);
      if (state.outcome !== null) return state.outcome;
      tellUnsent(screen, state);
      if (performance.now() - lastKeyAt < LINGER_MS) await silence(input, LINGER_MS);
      return null;
    } finally {
      process.off('exit', unmark);
      unmark();
    }
  });
}

interface Answered {
  /** Without an outcome when the signal took it away. */
  readonly state: PromptState;
  readonly lastKeyAt: number;
}

function answered(
  screen: Screen,
  { input, output }: Terminal,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Answered> {
  const frame = createLogUpdate(output, { showCursor: true });
  const reader = new KeyReader();
  let state = openPrompt(prompt);
  let lastKeyAt = -Infinity;
  const draw = (): void => frame(promptLines(state, lookOf(screen)).join('\n'));
  return new Promise((resolve) => {
    const unpin = screen.pin({ clear: () => frame.clear(), redraw: draw });
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      output.off('resize', draw);
      frame.clear();
      unpin();
      for (const line of recordLines(state, lookOf(screen))) screen.err(line);
      resolve({ state, lastKeyAt });
    };
    const stop = listen(input, BURST_MS, (chunk) => {
      if (chunk !== null) lastKeyAt = performance.now();
      state = heard(state, reader, chunk);
      if (state.outcome === null) draw();
      else end();
    });
    signal.addEventListener('abort', end, { once: true });
    output.on('resize', draw);
    draw();
  });
}

/** Null: silence. An Escape that it reveals was the last key, and comes after the Enter before it. */
export function heard(state: PromptState, reader: KeyReader, chunk: Buffer | null): PromptState {
  return chunk === null
    ? reader.pause().reduce(press, pause(state))
    : reader.read(chunk).reduce(press, state);
}

function lookOf({ errColors, columns, rows }: Screen): PromptLook {
  return { colors: errColors, width: columns() - 1, height: rows() };
}

/** What was being written when the question went away is not lost without a word. */
function tellUnsent({ err, errColors, columns }: Screen, { draft, view }: PromptState): void {
  const text = oneLine(textOf(draft));
  if (view !== 'choosing' && text !== '') err(errColors.dim(truncate(`Not sent: ${text}`, columns() - 1)));
}
