/** Kept output as a model reads it: whole characters, what a terminal would leave of it, head and tail of what is too long. */
import { plural } from '@bullpen/contracts';
import { decode, leftover, unfinished } from './output-text.js';
import { KeptOutput } from './read-output.js';
import { screenText } from './screen-text.js';

export interface OutputPage {
  readonly text: string;
  /** Place of its first byte. */
  readonly from: number;
  /** Place after its last one: where to read on. */
  readonly to: number;
}

/** Fewer could hold no whole character. */
const LEAST_BYTES = 8;

/** A range of bytes as text, moved so that it splits no character. `ended`: nothing follows what is there. */
export async function textPage(
  output: KeptOutput,
  from: number,
  limit: number,
  ended: boolean,
): Promise<OutputPage> {
  const range = await output.read(from, Math.max(limit, LEAST_BYTES));
  const before = await output.read(Math.max(0, range.from - 3), Math.min(3, range.from));
  const isNext = before.from + before.bytes.length === range.from;
  const skip = isNext ? leftover(before.bytes, range.bytes) : 0;
  const bytes = range.bytes.subarray(skip);
  const isLast = ended && range.from + range.bytes.length === output.size;
  const cut = isLast ? 0 : unfinished(bytes);
  const whole = bytes.subarray(0, bytes.length - cut);
  return { text: decode(whole), from: range.from + skip, to: range.from + skip + whole.length };
}

/** What a model is shown of the output of a command: all of it, or its first and its last `maxBytes / 2`. */
export async function shownOutput(folder: string, maxBytes: number): Promise<string> {
  const output = await KeptOutput.open(folder);
  if (output === null) return '';
  if (output.size <= maxBytes && output.leftOut.length === 0)
    return screenText((await textPage(output, 0, maxBytes, true)).text);
  const head = await textPage(output, 0, Math.floor(maxBytes / 2), false);
  const tail = await textPage(output, -Math.floor(maxBytes / 2), maxBytes, true);
  return screenText(head.text) + leftOutNote(tail.from - head.to) + screenText(tail.text);
}

/** Stands in the place of what is not shown. */
export function leftOutNote(bytes: number): string {
  return `\n… [${plural(bytes, 'byte')} of output left out here] …\n`;
}
