/** What text must be like to be worth sending: the provider refuses a block of white space, and nobody can answer one. */
import { z } from 'zod';

/** White space, and what nobody sees either: controls, zero-width characters. More than JavaScript trims, as the provider's side counts more. */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

/** True for text in which there is nothing to read. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Text of 1 to `max` characters with something to read in it. */
export function readableText(max: number) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !isBlank(text), { message: 'must contain text, not only white space' });
}
