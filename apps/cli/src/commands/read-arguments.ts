/** Flags that take their value from a file or from stdin. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inexactNumber, type Json } from '@bullpen/contracts';
import type { Context } from '../context.js';
import { bareReasonOf, CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

/** JSON as it is, from `@file`, or from stdin for `-`. Throws with exit code 2 when there is none. */
export async function readJson(context: Context, text: string, flag: string): Promise<Json> {
  const source = await readTextArgument(context, text, flag);
  refuseInexact(source, flag);
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    const why = String(error).replace(/^SyntaxError: /, '');
    throw new CliError(EXIT.usage, `${flag} is not JSON: ${why}`, [], { cause: error });
  }
}

/** It would be sent as another number. Throws with exit code 2. */
function refuseInexact(json: string, what: string): void {
  const number = inexactNumber(json);
  if (number === null) return;
  const digits = number.digits.slice(0, 40);
  throw new CliError(
    EXIT.usage,
    `${what}: the number ${digits} cannot be kept exactly; write it as a string, "${digits}"`,
  );
}

/** Text as it is, from `@file`, or from stdin for `-`. */
export async function readTextArgument(context: Context, text: string, flag: string): Promise<string> {
  if (text === '-') return fromStdin(context, flag);
  return text.startsWith('@') ? readText(context, text.slice(1), flag) : text;
}

/** All of stdin. On a terminal, people are told what is awaited. */
export function fromStdin({ io }: Context, what: string): Promise<string> {
  if (io.stdinIsTerminal) io.err(io.errColors.dim(`Type ${what}, then Ctrl-D:`));
  return io.readStdin();
}

function readText(context: Context, path: string, flag: string): string {
  try {
    return readFileSync(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw new CliError(EXIT.usage, `${flag}: ${path} cannot be read: ${bareReasonOf(error)}`, [], {
      cause: error,
    });
  }
}
