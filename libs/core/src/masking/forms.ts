/** The forms in which a value may stand in a text: as it is or escaped, in base64, in hexadecimal digits. */
import { spellingsOf, utf8 } from './spellings.js';

/** A form: one set of spellings after the other. */
export interface Form {
  /** The value that it belongs to. */
  readonly name: string;
  readonly steps: readonly (readonly string[])[];
  /** After so many steps the text may go on in another line, with what programs put before a line. Null: nowhere. */
  readonly wrapsFrom: number | null;
}

/** Lines of a value from this length on are secret without the rest of it. */
const LONG_LINE = 16;
const ARMOR = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/;

/** Everything that has to be masked for a value. Blanks around it do not count: what prints it may leave them out. */
export function formsOf(name: string, value: string): Form[] {
  const whole = value.trim();
  const lines = whole.split(/\r?\n/).map((line) => line.trim());
  const long = lines.filter((line) => line.length >= LONG_LINE && !ARMOR.test(line));
  const parts = lines.length === 1 ? [whole] : [whole, ...new Set(long)];
  return parts.flatMap((part) => [written(name, part), ...inBase64(name, part), inHex(name, part)]);
}

function written(name: string, text: string): Form {
  const steps = [...text.replaceAll('\r\n', '\n')].map(spellingsOf);
  return { name, steps, wrapsFrom: null };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The last two of the alphabet differ, and are escaped in URLs and JSON. */
const LAST_TWO: Readonly<Record<string, readonly string[]>> = {
  '+': ['+', '-', '%2B', '%2b'],
  '/': ['/', '_', '%2F', '%2f', '\\/'],
};
/** Base64 stands in three ways, by the number of bytes before the value; each differs in all characters. */
const PHASES = [0, 1, 2];

/**
 * The characters that depend on nothing but the value. A wrap may come between any two of them but the first: so that it can
 * come anywhere, there is a second form without the first character.
 */
function inBase64(name: string, text: string): Form[] {
  const bytes = utf8(text);
  return PHASES.flatMap((phase) => {
    const digits = base64Inside(bytes, phase).map((digit) => LAST_TWO[digit] ?? [digit]);
    return [digits, digits.slice(1)].map((steps) => ({ name, steps, wrapsFrom: 2 }));
  });
}

function base64Inside(bytes: readonly number[], phase: number): string[] {
  const first = Math.ceil((8 * phase) / 6);
  const end = Math.floor((8 * (phase + bytes.length)) / 6);
  const bit = (at: number): number => ((bytes[(at >> 3) - phase] ?? 0) >> (7 - (at & 7))) & 1;
  return Array.from({ length: end - first }, (_, index) => {
    let six = 0;
    for (let at = 6 * (first + index); at < 6 * (first + index + 1); at += 1) six = six * 2 + bit(at);
    return ALPHABET.charAt(six);
  });
}

function inHex(name: string, text: string): Form {
  const digits = utf8(text).flatMap((byte) => [...byte.toString(16).padStart(2, '0')]);
  return { name, steps: digits.map((digit) => [...new Set([digit, digit.toUpperCase()])]), wrapsFrom: 2 };
}
