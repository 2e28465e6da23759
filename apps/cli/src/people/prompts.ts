/**
 * Asking a person at the terminal, through @clack/prompts. Every prompt can be taken away from outside by its signal, and what was typed
 * before it was on the screen never answers it.
 */
import { isCancel, multiselect, select, text } from '@clack/prompts';
import type { Terminal } from '../io.js';
import { oneLine } from '../render/plain-text.js';

/** The prompt was left with Ctrl-C. */
export class PromptInterrupted extends Error {
  override readonly name = 'PromptInterrupted';
}

/** The prompt was taken away: its signal says why. */
export class PromptWithdrawn extends Error {
  override readonly name = 'PromptWithdrawn';
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** All give null for Escape, and throw `PromptInterrupted` or `PromptWithdrawn`. */
export interface Prompts {
  /** The last choice is the one that Enter alone takes. */
  select<T extends string>(
    message: string,
    choices: readonly Choice<T>[],
    signal: AbortSignal,
  ): Promise<T | null>;
  /** At least one. */
  multiselect(
    message: string,
    choices: readonly Choice<string>[],
    signal: AbortSignal,
  ): Promise<string[] | null>;
  /** Not empty unless `optional`. */
  text(message: string, options: TextOptions, signal: AbortSignal): Promise<string | null>;
}

export interface TextOptions {
  readonly initial?: string;
  readonly optional?: boolean;
  check?(value: string): string | undefined;
}

/** So long has the keyboard to be silent before a prompt opens: keys in flight belong to something else. */
const QUIET_MS = 120;

export function terminalPrompts(terminal: Terminal): Prompts {
  const ask = async <T>(
    signal: AbortSignal,
    open: (streams: {
      input: NodeJS.ReadStream;
      output: NodeJS.WriteStream;
      signal: AbortSignal;
    }) => Promise<T | symbol>,
  ): Promise<T | null> => {
    await dropTypedAhead(terminal.input);
    if (signal.aborted) throw new PromptWithdrawn();
    let interrupted = false;
    const watch = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined): void => {
      if (key?.ctrl === true && key.name === 'c') interrupted = true;
    };
    // Ctrl-C and Escape give the same symbol, but do not mean the same.
    terminal.input.prependListener('keypress', watch);
    try {
      const given = await open({ ...terminal, signal });
      if (!isCancel(given)) return given as T;
      if (interrupted) throw new PromptInterrupted();
      if (signal.aborted) throw new PromptWithdrawn();
      return null;
    } finally {
      terminal.input.off('keypress', watch);
    }
  };
  return {
    select: (message, choices, signal) =>
      ask(signal, (streams) => {
        const last = choices.at(-1)?.value;
        const options = { message, options: choices.map(optionOf), showInstructions: false };
        return select<string>({
          ...streams,
          ...options,
          ...(last === undefined ? {} : { initialValue: last }),
        });
      }) as Promise<never>,
    multiselect: (message, choices, signal) =>
      ask(signal, (streams) =>
        multiselect<string>({ ...streams, message, options: choices.map(optionOf), required: true }),
      ) as Promise<string[] | null>,
    text: (message, options, signal) =>
      ask(signal, (streams) => text({ ...streams, ...textOptions(message, options) })) as Promise<
        string | null
      >,
  };
}

function optionOf({ value, label, hint }: Choice<string>): { value: string; label: string; hint?: string } {
  // Labels of a question come from a model.
  return { value, label: oneLine(label), ...(hint === undefined ? {} : { hint: oneLine(hint) }) };
}

function textOptions(message: string, { initial, optional = false, check }: TextOptions) {
  return {
    message,
    ...(initial === undefined ? {} : { initialValue: initial }),
    validate: (value: string | undefined): string | undefined => {
      const words = value?.trim() ?? '';
      if (words === '') return optional ? undefined : 'Type something, or Escape to go back.';
      return check?.(words);
    },
  };
}

/** Reads what was typed before the prompt was there, and throws it away. */
async function dropTypedAhead(input: NodeJS.ReadStream): Promise<void> {
  const drop = (): void => undefined;
  input.setRawMode?.(true);
  input.on('data', drop);
  input.resume();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  input.off('data', drop);
  input.pause();
}
