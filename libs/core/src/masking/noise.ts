/**
 * What may stand between two characters of a value although it is no part of it: colour codes, and at the end of a line what
 * programs put there and before the next one. A little machine: from a state, a character leads to the next state or nowhere.
 */

/**
 * `''`: in the text itself. `s`: behind blanks or quotes. `n`: at the start of a line. `d`: in a line number. `b`: behind a backslash.
 * The rest are inside a colour code and hold the state to go back to: `e` behind its escape character, `c` in its parameters, `o`
 * in the text of a longer one, `x` before the end of that.
 */
export type NoiseState = string;

/** Behind a line end that the mark of a cut may follow. */
export const BEFORE_CUT = 'u';

/** No gap in a value is longer: what is held back must have an end. */
export const MAX_NOISE = 48;

const ESCAPE = '\u001b';
const LINE_NUMBER_END = ['\t', ':', '|', ' ', '-'];

/** True where the value may go on. */
export function isOpen(state: NoiseState): boolean {
  return state === '' || state === 's' || state === 'n';
}

/** The state after a character; null when it is no noise. `wraps`: lines may end here. */
export function afterNoise(state: NoiseState, character: string, wraps: boolean): NoiseState | null {
  const kind = state.charAt(0);
  if (kind === BEFORE_CUT) return null;
  if ('ecox'.includes(kind) && kind !== '') return inColour(kind, state.slice(1), character);
  if (character === ESCAPE) return isOpen(state) ? `e${state}` : null;
  return wraps || kind === 'n' || kind === 'd' ? inWrap(kind, character) : null;
}

function inColour(kind: string, back: NoiseState, character: string): NoiseState | null {
  switch (kind) {
    case 'e':
      if (character === '[') return `c${back}`;
      return character === ']' ? `o${back}` : null;
    case 'c':
      if (/[@-~]/.test(character)) return back;
      return /[ -?]/.test(character) ? `c${back}` : null;
    case 'o':
      if (character === '\u0007') return back;
      return character === ESCAPE ? `x${back}` : `o${back}`;
    default:
      return character === '\\' ? back : null;
  }
}

function inWrap(kind: string, character: string): NoiseState | null {
  if (kind === 'b') {
    if (character === 'n' || character === '\n') return 'n';
    return 'rt\\'.includes(character) ? (character === '\\' ? 'b' : 's') : null;
  }
  if (kind === 'd') {
    if (/\d/.test(character)) return 'd';
    return LINE_NUMBER_END.includes(character) ? 'n' : null;
  }
  if (character === '\n') return 'n';
  if (character === '\\') return 'b';
  if (kind === 'n') {
    if (/\d/.test(character)) return 'd';
    return /[ \t\r+\-<>|#*"']/.test(character) ? 'n' : null;
  }
  return /[ \t\r"',]/.test(character) ? 's' : null;
}
