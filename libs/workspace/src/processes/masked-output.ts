/** Ranges of kept output without secret values, also those that lie across an end of a range: what is around it is read as well. */
import type { Masker } from '@bullpen/core';
import { decode } from './output-text.js';
import type { KeptOutput, OutputRange } from './read-output.js';
import { textPage, type OutputPage } from './shown-output.js';

type RangeMasker = Pick<Masker, 'maskRange' | 'reach'>;

/** What `textPage` gives, masked. Its places are still those of the bytes that were kept. */
export async function maskedPage(
  output: KeptOutput,
  from: number,
  limit: number,
  ended: boolean,
  masker: RangeMasker,
): Promise<OutputPage> {
  const page = await textPage(output, from, limit, ended);
  const { before, behind } = await around(output, page.from, page.to, masker.reach);
  return { ...page, text: maskedBetween(decode(before), page.text, decode(behind), masker) };
}

/** Bytes as they were kept, but for the masks. `to`: the place after the last of those that were kept. */
export async function maskedBytes(
  output: KeptOutput,
  from: number,
  limit: number,
  masker: RangeMasker,
): Promise<OutputRange & { readonly to: number }> {
  const range = await output.read(from, limit);
  const to = range.from + range.bytes.length;
  const { before, behind } = await around(output, range.from, to, masker.reach);
  // A character for each byte: a value is found in these as well, and what is no text stays as it is.
  const [head, text, tail] = [before, range.bytes, behind].map((bytes) => bytes.toString('latin1'));
  const masked = maskedBetween(head ?? '', text ?? '', tail ?? '', masker);
  return { from: range.from, to, bytes: Buffer.from(masked, 'latin1') };
}

function maskedBetween(before: string, text: string, behind: string, masker: RangeMasker): string {
  return masker.maskRange(before + text + behind, before.length, before.length + text.length);
}

/** What was kept next to a range, as far as a value can reach. */
async function around(output: KeptOutput, from: number, to: number, reach: number) {
  if (reach === 0) return { before: Buffer.alloc(0), behind: Buffer.alloc(0) };
  const start = Math.max(0, from - reach);
  const before = await output.read(start, from - start);
  const behind = await output.read(to, reach);
  return {
    before: before.from + before.bytes.length === from ? before.bytes : Buffer.alloc(0),
    behind: behind.from === to ? behind.bytes : Buffer.alloc(0),
  };
}
