/** JSON that people and programs write: a number that JavaScript cannot hold would come out as another one, silently. */

/** A number of a text. */
export interface InexactNumber {
  readonly digits: string;
  /** Where it begins, in UTF-16 units. */
  readonly index: number;
}

/** The beginning of a string, which is passed over, or a number. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

/**
 * The first number of a JSON text that would not come out as it went in: a whole one with more digits than can be kept, or one beyond all bounds. Null when all
 * do. Fractions are nearest values everywhere, and taken.
 */
export function inexactNumber(json: string): InexactNumber | null {
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(json); found !== null; found = tokens.exec(json)) {
    const { 0: digits, index } = found;
    if (digits === '"') tokens.lastIndex = behindString(json, index);
    else if (!isExact(digits)) return { digits, index };
  }
  return null;
}

/** Where a string ends that begins here. By hand: a pattern for it runs out of stack within some megabytes, as a picture in base64 has. */
function behindString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length;
}

function isExact(digits: string): boolean {
  const value = Number(digits);
  // What is no number at all is for the parser to refuse.
  if (Number.isNaN(value)) return true;
  if (!Number.isFinite(value)) return false;
  // Also where the value is exact: 2^60 would be written as 1152921504606847000.
  return !/^-?\d{16,}$/.test(digits) || String(value) === digits;
}
