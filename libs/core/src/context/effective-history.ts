/**
 * What a model is sent of a conversation, as a pure function of its rows. A row with a reduction stands in the place of a range of those before it, or
 * shows their outputs as one line each. No row is ever changed for that: where a reduction is dropped, what it left out is sent again, byte for byte.
 */
import type { ContentBlock, Media, Reduction } from '@bullpen/contracts';
import { mediaText, plural } from '@bullpen/contracts';
import type { StoredMessage } from '../task/task.js';
import { READ_TOOL_OUTPUT } from '../task/text.js';

/** Shorter outputs stay: the line in their place would take as much room. */
const SHORTEST_MASKED = 400;

/** A row that makes what was said before it shorter. */
export interface ReductionRow extends StoredMessage {
  readonly reduction: Reduction;
}

export function isReduction(row: StoredMessage): row is ReductionRow {
  return row.reduction !== undefined;
}

/** The messages in the order in which they are sent, from rows in the order of their numbers. */
export function effectiveHistory(rows: readonly StoredMessage[]): readonly StoredMessage[] {
  const reductions = rows.filter(isReduction);
  const standing = standingIn(reductions);
  const maskedTo = Math.max(
    0,
    ...reductions.map(({ reduction }) => (reduction.kind === 'mask' ? reduction.toSeq : 0)),
  );
  const said = rows.filter(
    (row) => !isReduction(row) && !standing.some(({ reduction }) => isWithin(row.seq, reduction)),
  );
  return [...said.map((row) => (row.seq <= maskedTo ? masked(row) : row)), ...standing].sort(
    (a, b) => placeOf(a) - placeOf(b),
  );
}

/** The rows that are sent in the place of others: not those that stand in the range of a later one. */
function standingIn(reductions: readonly ReductionRow[]): readonly ReductionRow[] {
  const replacing = reductions.filter(({ reduction }) => reduction.kind !== 'mask');
  return replacing.filter(
    ({ reduction }, at) =>
      !replacing
        .slice(at + 1)
        .some(
          ({ reduction: later }) => isWithin(reduction.fromSeq, later) && isWithin(reduction.toSeq, later),
        ),
  );
}

function isWithin(seq: number, { fromSeq, toSeq }: Reduction): boolean {
  return seq >= fromSeq && seq <= toSeq;
}

/** Where a row is sent: a reduction is where the first message was that it stands for. */
export function placeOf(row: StoredMessage): number {
  return row.reduction?.fromSeq ?? row.seq;
}

/** The message with each long output as a line that says how to read it. Everything else of it stays to the byte. */
function masked(row: StoredMessage): StoredMessage {
  return outputsIn(row) === 0 ? row : { ...row, content: row.content.map(maskedBlock) };
}

/** How many outputs of a message are long enough to be masked. */
export function outputsIn({ content }: Pick<StoredMessage, 'content'>): number {
  return content.filter(isLong).length;
}

/** The same content with its long outputs masked, to find out what that would save. */
export function maskedContent(content: StoredMessage['content']): StoredMessage['content'] {
  return content.map(maskedBlock);
}

type ResultBlock = Extract<ContentBlock, { type: 'tool_result' }>;

/** Text that is long, and whatever has pictures or documents: they take more room than most texts. */
function isLong(block: ContentBlock): block is ResultBlock {
  if (block.type !== 'tool_result') return false;
  return (block.media ?? []).length > 0 || isLongText(block.content);
}

function isLongText(content: string): boolean {
  return content.length > SHORTEST_MASKED && !isMaskLine(content);
}

function maskedBlock(block: ContentBlock): ContentBlock {
  if (!isLong(block)) return block;
  const { media = [], ...rest } = block;
  const told = isLongText(block.content) ? maskLine(block) : block.content;
  return { ...rest, content: [told, ...media.map(mediaLine)].join('\n') };
}

function mediaLine(media: Media): string {
  return `[Left out to save room: ${mediaText(media)}. Read it again if you need to see it.]`;
}

const MASK_START = '[Left out to save room: ';

function maskLine({ tool_use_id: id, content }: ResultBlock): string {
  return `${MASK_START}this output of ${plural(content.length, 'character')}. Read what you need of it again with ${READ_TOOL_OUTPUT} {"callId": "${id}"}.]`;
}

function isMaskLine(text: string): boolean {
  return text.startsWith(MASK_START) && text.length < SHORTEST_MASKED;
}

/** A turn as it is sent: an answer, and all that follows it up to the next one. Nothing is ever cut within it. */
export interface Round {
  readonly fromSeq: number;
  readonly messages: readonly StoredMessage[];
}

/** A conversation in its parts. */
export interface Parts {
  /** The task itself, and what stands for older parts. */
  readonly head: readonly StoredMessage[];
  readonly rounds: readonly Round[];
}

/** Takes the messages of `effectiveHistory` apart. Neighbouring answers belong to one round: an answer may go on in the next message. */
export function partsOf(effective: readonly StoredMessage[]): Parts {
  const first = effective.findIndex(({ role }) => role === 'assistant');
  if (first < 0) return { head: effective, rounds: [] };
  const rounds: { fromSeq: number; messages: StoredMessage[] }[] = [];
  effective.slice(first).forEach((message, at, all) => {
    if (message.role === 'assistant' && all[at - 1]?.role !== 'assistant')
      rounds.push({ fromSeq: message.seq, messages: [] });
    rounds.at(-1)?.messages.push(message);
  });
  return { head: effective.slice(0, first), rounds };
}
