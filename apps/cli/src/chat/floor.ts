/** Who has the terminal: whoever types a message, or what the agent asks, which takes it away in the middle of a line. */
export class Floor {
  #takers = 0;
  #taken = new AbortController();
  #free = Promise.resolve();
  #setFree = (): void => undefined;

  take(): void {
    this.#takers += 1;
    if (this.#takers > 1) return;
    this.#free = new Promise((resolve) => (this.#setFree = resolve));
    this.#taken.abort();
  }

  giveBack(): void {
    this.#takers -= 1;
    if (this.#takers > 0) return;
    this.#taken = new AbortController();
    this.#setFree();
  }

  /** Resolves when nobody has it, with a signal for when it is taken again. */
  async free(): Promise<AbortSignal> {
    while (this.#takers > 0) await this.#free;
    return this.#taken.signal;
  }
}
