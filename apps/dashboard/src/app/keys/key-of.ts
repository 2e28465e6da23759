/** Which key was pressed, for shortcuts: the letter, whatever is being typed with it. */

export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

const LATIN = /^[\u0020-\u024f]$/;

/**
 * The name of a shortcut: `j`, `?`, `Escape`, `mod+Enter`. A letter of another script (Hangul is on) counts as the Latin one at its place; a
 * Latin letter counts as itself, wherever its keyboard has it. Null while a syllable is being composed, and with other modifiers.
 */
export function keyOf(press: KeyPress): string | null {
  if (press.isComposing || press.altKey) return null;
  const name = nameOf(press);
  return press.ctrlKey || press.metaKey ? `mod+${name}` : name;
}

function nameOf({ key, code }: KeyPress): string {
  if (key.length > 1 && key !== 'Process' && key !== 'Unidentified') return key;
  if (LATIN.test(key)) return key.toLowerCase();
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}
