/** A text on its way to watchers while it grows: masked, and sent with the place where each piece belongs. */
import type { Masker } from './masker.js';

export interface LiveText {
  push(piece: string): void;
  /** Nothing more comes: what was held back goes out. */
  end(): void;
}

/** `send` gets what may be seen, if it is anything. */
export function liveText(masker: Masker, send: (text: string) => void): LiveText {
  const stream = masker.stream();
  const go = (text: string): void => {
    if (text !== '') send(text);
  };
  return { push: (piece) => go(stream.push(piece)), end: () => go(stream.end()) };
}
