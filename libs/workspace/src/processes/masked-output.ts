/**
 * Ranges of kept output without secret values, also those that lie across an end of a range: what is around it is read as well. While
 * more is to come, what may still become a value is not given yet.
 */
import type { Masker } from '@bullpen/core';
import { decode } from './output-text.js';
import type { KeptOutput, OutputRange } from './read-output.js';
import { textPage, type OutputPage } from './shown-output.js';

type RangeMasker = Pick<Masker, 'maskRange' | 'reach' | 'unfinished'>;

/** Bytes, and what is next to them as far as a value can reach. `to`: the place after the last of them. */
interface Surrounded extends OutputRange {
  readonly before: Buffer;
  readonly behind: Buffer;
  readonly to: number;
}

/** What `textPage` gives, masked. Its places are still those of the bytes that were kept. */
export async function maskedPage(
  output: KeptOutput,
  from: number,
  limit: number,
  ended: boolean,
  masker: RangeMasker,
): Promise<OutputPage> {
  const page = await textPage(output, from, limit, ended);
  if (masker.reach === 0) return page;
  const { before, bytes, behind, to } = await surrounded(
    output,
    page.from,
    page.to - page.from,
    ended,
    masker,
  );
  const [head, text, tail] = [decode(before), decode(bytes), decode(behind)];
  return { from: page.from, to, text: maskedBetween(head, text, tail, masker) };
}

/** Bytes as they were kept, but for the masks. */
export async function maskedBytes(
  output: KeptOutput,
  from: number,
  limit: number,
  ended: boolean,
  masker: RangeMasker,
): Promise<OutputRange & { readonly to: number }> {
  const range = await surrounded(output, from, limit, ended, masker);
  const [head, text, tail] = [range.before, range.bytes, range.behind].map(asCharacters);
  const masked = maskedBetween(head ?? '', text ?? '', tail ?? '', masker);
  return { from: range.from, to: range.to, bytes: Buffer.from(masked, 'latin1') };
}

function maskedBetween(before: string, text: string, behind: string, masker: RangeMasker): string {
  return masker.maskRange(before + text + behind, before.length, before.length + text.length);
}

/** A character for each byte: a value is found in these as well, and what is no text stays as it is. */
function asCharacters(bytes: Buffer): string {
  return bytes.toString('latin1');
}

async function surrounded(
  output: KeptOutput,
  wanted: number,
  limit: number,
  ended: boolean,
  masker: RangeMasker,
): Promise<Surrounded> {
  const { reach } = masker;
  const { from, bytes } = await output.read(wanted, limit);
  const end = from + bytes.length;
  const start = Math.max(0, from - reach);
  const above = await output.read(start, from - start);
  const below = await output.read(end, reach);
  // Where something was not kept, there is nothing next to the range.
  const before = above.from + above.bytes.length === from ? above.bytes : Buffer.alloc(0);
  const behind = below.from === end ? below.bytes : Buffer.alloc(0);
  const isNewest = !ended && end === output.size;
  const held = isNewest ? masker.unfinished(asCharacters(Buffer.concat([before, bytes]))) : 0;
  const kept = bytes.subarray(0, Math.max(0, bytes.length - held));
  return { from, to: from + kept.length, bytes: kept, before, behind };
}
