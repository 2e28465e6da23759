/**
 * What a terminal sends, as keys. Only what is known to be a key is one; every other sequence is dropped, and everything that can be
 * read is text, whatever the letters.
 */
import { StringDecoder } from 'node:string_decoder';
import { plainText } from '../../render/plain-text.js';

export type EditKey = 'left' | 'right' | 'home' | 'end' | 'backspace' | 'delete' | 'eraseLine' | 'eraseWord';

export type Key =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: EditKey | 'up' | 'down' | 'enter' | 'escape' | 'interrupt' };

const SEQUENCES: Readonly<Record<string, Exclude<Key['name'], 'text'>>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[C': 'right',
  '\u001bOC': 'right',
  '\u001b[D': 'left',
  '\u001bOD': 'left',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u001b[1~': 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u001b[4~': 'end',
  '\u001b[3~': 'delete',
  '\u001bOM': 'enter',
  '\r': 'enter',
  '\n': 'enter',
  '\r\n': 'enter',
  '\u0001': 'home',
  '\u0003': 'interrupt',
  '\u0005': 'end',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u0015': 'eraseLine',
  '\u0017': 'eraseWord',
};

const ESCAPE = '\u001b';
const INTERRUPT = '\u0003';
const ALT_ENTER = '\u001b\r';
const PASTE_STARTS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';

/** One piece of what comes: a sequence that begins with Escape (of any kind), a line end, a control character, or text. */
const PIECE =
  // eslint-disable-next-line no-control-regex
  /^(?:\u001b\[[0-?]*[ -/]*[@-~]|\u001bO[ -~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^[O\]PX^_\u001b]|\r\n|[\u0000-\u0008\n-\u001a\u001c-\u001f\u007f-\u009f]|[^\u0000-\u0008\n-\u001f\u007f-\u009f]+)/u;

export class KeyReader {
  readonly #decoder = new StringDecoder('utf8');
  /** The beginning of a sequence whose rest is still to come. */
  #rest = '';
  #pasting = false;

  read(chunk: Buffer): Key[] {
    const text = this.#decoder.write(chunk);
    // A paste whose end never comes must not take the way out away.
    if (text === INTERRUPT) return [{ name: 'interrupt' }];
    this.#rest += text;
    return this.#take();
  }

  /** Nothing has come for a while, so what is not complete will not be: Escape by itself is a key, half a sequence is nothing. */
  pause(): Key[] {
    if (this.#pasting) return [];
    const rest = this.#rest;
    this.#rest = '';
    return rest === ESCAPE ? [{ name: 'escape' }] : [];
  }

  #take(): Key[] {
    const keys: Key[] = [];
    for (let next = this.#next(); next !== null; next = this.#next()) keys.push(...next);
    return keys;
  }

  /** The keys of the next piece, which may be none; null when more has to come. */
  #next(): Key[] | null {
    if (this.#pasting) return this.#pasted();
    const rest = this.#rest;
    if (rest.startsWith(ESCAPE + ESCAPE)) {
      this.#rest = rest.slice(1);
      return [{ name: 'escape' }];
    }
    const piece = PIECE.exec(rest)?.[0];
    if (piece === undefined) return null;
    this.#rest = rest.slice(piece.length);
    if (piece === PASTE_STARTS) this.#pasting = true;
    return piece === ALT_ENTER ? typed('\n') : keysOf(piece);
  }

  #pasted(): Key[] | null {
    if (this.#rest === '') return null;
    const end = this.#rest.indexOf(PASTE_ENDS);
    const taken = end < 0 ? this.#rest.length - overlap(this.#rest, PASTE_ENDS) : end;
    if (end < 0 && taken === 0) return null;
    const text = this.#rest.slice(0, taken);
    this.#rest = this.#rest.slice(end < 0 ? taken : end + PASTE_ENDS.length);
    this.#pasting = end < 0;
    return typed(text);
  }
}

function keysOf(piece: string): Key[] {
  const name = Object.hasOwn(SEQUENCES, piece) ? SEQUENCES[piece] : undefined;
  if (name !== undefined) return [{ name }];
  return piece.startsWith(ESCAPE) ? [] : typed(piece);
}

function typed(text: string): Key[] {
  const plain = plainText(text.replaceAll(/\r\n?/g, '\n'));
  return plain === '' ? [] : [{ name: 'text', text: plain }];
}

/** How much of the end of `text` is the beginning of `mark`. */
function overlap(text: string, mark: string): number {
  let size = Math.min(text.length, mark.length - 1);
  while (size > 0 && !mark.startsWith(text.slice(-size))) size -= 1;
  return size;
}
