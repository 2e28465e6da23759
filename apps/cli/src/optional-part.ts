/** Parts of an answer that a command can do without: a gateway that lacks a route, or fails at it, does not take the rest with it. */
import { ApiError, UnexpectedAnswer } from '@bullpen/client';
import type { Context } from './context.js';

/** The part, or null after a line on stderr that says what is missing and why. Whatever would fail for all of it is thrown. */
export async function ifThere<T>({ io }: Context, what: string, part: Promise<T>): Promise<T | null> {
  try {
    return await part;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof UnexpectedAnswer)) throw error;
    io.err(io.errColors.yellow(`without ${what}: ${error.message}`));
    return null;
  }
}
