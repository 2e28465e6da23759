/** Which values can be masked at all: one that is part of ordinary text would make all of it unreadable. */

export interface Secret {
  /** What stands in its place tells the name. */
  readonly name: string;
  readonly value: string;
}

/** A value that is not masked, and why. */
export interface Refused {
  readonly name: string;
  readonly reason: string;
}

const MIN_LENGTH = 6;
/** Words and numbers are part of ordinary text; long ones are not. */
const LONG_ENOUGH = 12;
const WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_. ](?:[A-Z]?[a-z]+|[A-Z]+))*$/;

/** What a name may look like: it is shown in the mask. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Why a value cannot be masked; null when it can. Never tells anything of the value. */
export function weakness({ name, value }: Secret): string | null {
  const text = value.trim();
  if (!SECRET_NAME.test(name)) return 'its name may have only letters, digits, "_", "." and "-", 64 at most';
  if (text === '') return 'it is empty';
  if ([...text].length < MIN_LENGTH) return `it has fewer than ${MIN_LENGTH} characters`;
  if (text.length < LONG_ENOUGH && WORD.test(text)) return 'it is a plain word';
  if (text.length < LONG_ENOUGH && /^\d+$/.test(text)) return 'it is a short number';
  if (!/[\p{L}\p{N}]/u.test(text)) return 'it has no letter and no digit';
  return `[secret ${name}]`.includes(text) ? 'it is part of its name' : null;
}
