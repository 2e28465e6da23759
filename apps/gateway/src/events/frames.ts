/** Events as they go to readers: each is written and masked once, however many watch. */
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';

export class Frames {
  readonly #masker: Pick<Masker, 'maskJsonText'>;
  readonly #made = new WeakMap<TaskEvent | LiveDelta, { readonly id: string; readonly text: string }>();

  constructor(masker: Pick<Masker, 'maskJsonText'>) {
    this.#masker = masker;
  }

  /** One event. `id` is always given: an id that is made up, or left out, would break the next resume. */
  of(id: string, event: TaskEvent | LiveDelta): string {
    const made = this.#made.get(event);
    // A delta has the id of the last row, which readers of many tasks may have got to one after the other.
    if (made?.id === id) return made.text;
    // JSON has no raw line breaks, so the data is one line.
    const data = this.#masker.maskJsonText(JSON.stringify(event));
    const text = `id: ${id}\nevent: ${event.type}\ndata: ${data}\n\n`;
    this.#made.set(event, { id, text });
    return text;
  }
}
