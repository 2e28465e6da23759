/**
 * Finds where a text stops being JSON. V8 tells the place of an error only sometimes, and differently in each version; a
 * person who mends a body by hand needs it always.
 */

/** Why and where (index into the text) it is not JSON; null when it is. */
export function findJsonError(text: string): { index: number; reason: string } | null {
  const open: ('[' | '{')[] = [];
  let at = 0;
  let expects: 'value' | 'key' | 'colon' | 'end' = 'value';
  /** After an opening bracket the closing one may follow at once; after a comma it may not. */
  let mayClose = false;
  for (;;) {
    at = skipSpace(text, at);
    const char = text[at];
    if (char === undefined)
      return open.length === 0 && expects === 'end' ? null : { index: at, reason: 'the text ends too early' };
    if (expects === 'end' && open.length === 0) return { index: at, reason: 'there is text after the end' };
    const top = open.at(-1);
    const closes = top === '[' ? ']' : '}';
    if (char === closes && top !== undefined && (expects === 'end' || mayClose)) {
      open.pop();
      [at, expects, mayClose] = [at + 1, 'end', false];
    } else if (expects === 'end') {
      if (char !== ',') return { index: at, reason: `expected "," or "${closes}"` };
      [at, expects, mayClose] = [at + 1, top === '{' ? 'key' : 'value', false];
    } else if (expects === 'colon') {
      if (char !== ':') return { index: at, reason: 'expected ":"' };
      [at, expects] = [at + 1, 'value'];
    } else if (expects === 'key') {
      const end = char === '"' ? stringEnd(text, at) : at;
      if (end <= at) return { index: Math.abs(end), reason: 'expected a field name in double quotes' };
      [at, expects, mayClose] = [end, 'colon', false];
    } else if (char === '[' || char === '{') {
      open.push(char);
      [at, expects, mayClose] = [at + 1, char === '[' ? 'value' : 'key', true];
    } else {
      const end = char === '"' ? stringEnd(text, at) : wordEnd(text, at);
      if (end <= at) return { index: Math.abs(end), reason: 'expected a value' };
      [at, expects, mayClose] = [end, 'end', false];
    }
  }
}

/** Line and column of an index, both from 1. */
export function lineAndColumn(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  return { line, column: index - before.lastIndexOf('\n') };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

/** Index after the string that starts here; the negative index of the fault when it is broken. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') return at + 1;
    if (char < ' ') return -at;
    if (char === '\\') {
      const escape = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6));
      if (escape === null) return -at;
      at += escape[0].length;
    }
  }
  return -text.length;
}

const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

function wordEnd(text: string, from: number): number {
  WORD.lastIndex = from;
  return WORD.test(text) ? WORD.lastIndex : -from;
}
