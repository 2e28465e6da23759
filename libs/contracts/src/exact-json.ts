/** JSON that people and programs write: a number that JavaScript cannot hold would come out as another one, silently. */

/** A number of a text. */
export interface InexactNumber {
  readonly digits: string;
  /** Where it begins, in UTF-16 units. */
  readonly index: number;
}

/** Strings, so that digits in them are passed over, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The first number of a JSON text that would not come out as it went in: a whole one with more digits than can be kept, or one beyond all bounds. Null when all
 * do. Fractions are nearest values everywhere, and taken.
 */
export function inexactNumber(json: string): InexactNumber | null {
  for (const { 0: digits, index } of json.matchAll(TOKENS))
    if (!digits.startsWith('"') && !isExact(digits)) return { digits, index };
  return null;
}

function isExact(digits: string): boolean {
  const value = Number(digits);
  // What is no number at all is for the parser to refuse.
  if (Number.isNaN(value)) return true;
  if (!Number.isFinite(value)) return false;
  // Also where the value is exact: 2^60 would be written as 1152921504606847000.
  return !/^-?\d{16,}$/.test(digits) || String(value) === digits;
}
