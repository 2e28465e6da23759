/** Which text is worth sending: the provider refuses a block of white space, and nobody can answer one. */
import { z } from 'zod';

/**
 * White space, and what nobody sees either: controls, zero-width characters. More than JavaScript trims, because the provider
 * counts more.
 */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

/** True for text that shows nothing. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Text of 1 to `max` characters that is not only white space. */
export function readableText(max: number) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !isBlank(text), { message: 'must contain text, not only white space' });
}
