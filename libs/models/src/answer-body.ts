/**
 * The bytes of an answer on their way from the connection to who reads them. An event stream is taken where the connection delivers it:
 * web streams in between cost more than all that is done with its events.
 */
import { ModelCallError } from './errors.js';

/** What can hold back and let go what comes over a connection. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Bytes, piece by piece. */
export interface Pieces {
  /** The next piece; null at the end. Throws what broke the connection. */
  next(): Promise<Uint8Array | null>;
}

/** So many bytes may wait for their reader before the connection is held back. */
const MOST_WAITING = 65_536;

/** Belongs to one request. Answers that nobody has to read this way leave it closed. */
export class AnswerBody implements Pieces {
  #flow: Flow | null = null;
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error: Error | null } | null = null;
  #wake: (() => void) | null = null;

  /** Whether the answer comes this way. Known with its headers. */
  get isOpen(): boolean {
    return this.#flow !== null;
  }

  open(flow: Flow): void {
    this.#flow = flow;
    // `fetch` has held it back if a 103 came first, and goes on only when its own body is read.
    flow.resume();
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes > MOST_WAITING) this.#flow?.pause();
    this.#wake?.();
  }

  /** `error`: what broke the connection; null when it is all there. The end of a redirect before the answer is none of it. */
  end(error: Error | null): void {
    if (this.#flow === null) return;
    this.#end ??= { error };
    this.#wake?.();
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#pieces.length === 0 && this.#end === null)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#waitingBytes -= piece.length;
      if (this.#waitingBytes === 0) this.#flow?.resume();
      return piece;
    }
    if (this.#end?.error) throw this.#end.error;
    return null;
  }
}

/** The same of an answer that came another way: compressed, turned from another framing, or without a connection of ours. */
export function piecesOf({ body, status }: Response): Pieces {
  if (body === null)
    throw new ModelCallError('request', `The model endpoint answered ${status} without a body.`, {
      httpStatus: status,
    });
  const reader = body.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? null : value;
    },
  };
}
