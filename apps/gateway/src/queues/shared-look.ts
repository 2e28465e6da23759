/** One look for all who ask at about the same time. */
export class Shared<T> {
  readonly #freshMs: number;
  readonly #look: () => Promise<T>;
  #newest: { readonly value: Promise<T>; readonly until: number } | null = null;

  constructor(freshMs: number, look: () => Promise<T>) {
    this.#freshMs = freshMs;
    this.#look = look;
  }

  /** What a look gave that began at most `freshMs` ago, or else gives now. One that failed is tried again by the next who asks. */
  get(): Promise<T> {
    const now = performance.now();
    if (this.#newest !== null && now < this.#newest.until) return this.#newest.value;
    const value = this.#look();
    const look = { value, until: now + this.#freshMs };
    this.#newest = look;
    value.catch(() => {
      if (this.#newest === look) this.#newest = null;
    });
    return value;
  }

  /** The next who asks gets a look that begins after this call. */
  forget(): void {
    this.#newest = null;
  }
}
