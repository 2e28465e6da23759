/** A text on its way to watchers while it grows: masked, and with no more held back than may still become a value. */
import type { Masker } from './masker.js';

export interface LiveText {
  /** `skipped`: so many characters before the piece are left out. */
  push(piece: string, skipped?: number): void;
  /** Nothing more comes: what was held back goes out. */
  end(): void;
}

/** `send` gets what may be seen, if it is anything, and its place in the text as watchers know it. */
export function liveText(masker: Masker, send: (text: string, offset: number) => void): LiveText {
  const stream = masker.stream();
  let offset = 0;
  const go = (text: string): void => {
    if (text === '') return;
    send(text, offset);
    offset += text.length;
  };
  return {
    push: (piece, skipped = 0) => {
      if (skipped > 0) {
        go(stream.gap());
        offset += skipped;
      }
      go(stream.push(piece));
    },
    end: () => go(stream.end()),
  };
}
