/** The two versions of a conflict, as far as they can be read and are short. */
import { isUtf8 } from 'node:buffer';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import type { Conflict } from './outcome.js';

/** Of each text that is shown. */
const MOST_CHARS = 2_000;
/** Lines that are shown around what differs. */
const AROUND = 2;

/**
 * The lines that touch, marked as git does; or how both texts begin, each under its name; null where there is no text to show. To be called while the
 * store is held alone.
 */
export async function versionsOf(
  shadow: ShadowRepository,
  { marked, ours, theirs }: Conflict,
  names: { readonly ours: string; readonly theirs: string },
): Promise<string | null> {
  if (marked !== null) {
    const text = await textOf(shadow, marked);
    return text === null ? null : clipped(touching(text));
  }
  const sides = [];
  for (const [whose, side] of [
    [names.ours, ours],
    [names.theirs, theirs],
  ] as const) {
    const text = side?.kind === 'file' && side.blob !== null ? await textOf(shadow, side.blob) : null;
    if (text !== null) sides.push(`--- ${whose}\n${clipped(text)}`);
  }
  return sides.length === 0 ? null : sides.join('\n');
}

async function textOf(shadow: ShadowRepository, blob: string): Promise<string | null> {
  const bytes = await shadow.git.run(['cat-file', 'blob', blob]);
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
}

function touching(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('<<<<<<<'));
  const last = lines.findLastIndex((line) => line.startsWith('>>>>>>>'));
  return lines.slice(Math.max(0, first - AROUND), last + 1 + AROUND).join('\n');
}

function clipped(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`;
}
