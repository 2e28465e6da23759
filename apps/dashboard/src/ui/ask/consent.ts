/**
 * When an answer counts: only for exactly what was shown, and only after it was shown for long enough to be read. A row that has just slid
 * under the pointer, or under a key that was already on its way, is never answered.
 */

/** In ms. */
const SEEN_AFTER_MS = 400;

/** What is shown, by its id and the digest of what it asks. */
interface Shown {
  readonly id: string;
  readonly hash: string;
}

export class Sight {
  #shown: (Shown & { readonly since: number }) | null = null;

  /** Says what is drawn now. The same again changes nothing. */
  show({ id, hash }: Shown, now: number): void {
    if (this.#shown?.id === id && this.#shown.hash === hash) return;
    this.#shown = { id, hash, since: now };
  }

  /** Whether an answer to it counts. */
  hasSeen({ id, hash }: Shown, now: number): boolean {
    const shown = this.#shown;
    return shown?.id === id && shown.hash === hash && now - shown.since >= SEEN_AFTER_MS;
  }
}
