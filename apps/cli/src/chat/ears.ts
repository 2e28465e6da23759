/**
 * Hears what is typed while the agent works. The terminal edits the line then, so only whole lines come; what is typed while somebody is
 * asked something is none of it.
 */
import { joinLines, isUnfinished, PASTE_MS } from './line-editor.js';

export class Ears {
  readonly #lines: string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #heard: ((text: string | null) => void) | null = null;
  #held = 0;

  constructor(private readonly input: NodeJS.ReadStream) {}

  /** Listens until `close`; null is the end of the input. */
  open(heard: (text: string | null) => void): void {
    this.#heard = heard;
    if (this.#held === 0) this.#start();
  }

  /** Gives what was typed and not yet heard, or null. */
  close(): string | null {
    if (this.#heard !== null && this.#held === 0) this.#stop();
    this.#heard = null;
    return this.#take();
  }

  /** Somebody else has the terminal. */
  hold(): void {
    this.#held += 1;
    if (this.#held === 1 && this.#heard !== null) this.#stop();
  }

  release(): void {
    this.#held -= 1;
    if (this.#held === 0 && this.#heard !== null) this.#start();
  }

  #start(): void {
    this.input.on('data', this.#onData);
    this.input.once('end', this.#onEnd);
    this.input.resume();
  }

  #stop(): void {
    this.input.off('data', this.#onData);
    this.input.off('end', this.#onEnd);
    this.input.pause();
  }

  readonly #onEnd = (): void => this.#heard?.(null);

  readonly #onData = (data: Buffer | string): void => {
    this.#lines.push(
      ...String(data)
        .replace(/\r?\n$/, '')
        .split(/\r?\n/),
    );
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Lines that were pasted come one by one, and belong together.
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (isUnfinished(this.#lines)) return;
      const text = this.#take();
      if (text !== null) this.#heard?.(text);
    }, PASTE_MS);
  };

  #take(): string | null {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const text = joinLines(this.#lines.splice(0));
    return text.trim() === '' ? null : text;
  }
}
