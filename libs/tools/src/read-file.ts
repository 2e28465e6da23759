/** read_file: numbered lines of a text file, a page at a time; pictures and PDFs as such. */
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { MAX_MEDIA_BYTES, mediaText } from '@bullpen/contracts';
import {
  defineTool,
  failure,
  mediaFacts,
  mediaIssue,
  success,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@bullpen/core';
import { openForReading, resolveForReading, type InsidePath, type OpenedFile } from '@bullpen/workspace';
import { countLines, fingerprintOf, inspectFile, MAX_WHOLE_BYTES } from './file-content.js';
import type { FileTracker } from './file-tracker.js';
import { withNearNames } from './near-names.js';
import { showPath } from './pages.js';
import { readPage, type Place, type TextPage } from './text-page.js';
import { pathInspection } from './touched-paths.js';

const CHUNK_BYTES = 256 * 1_024;

const input = z.strictObject({
  path: z.string().describe('File, relative to the workspace folder.'),
  offset: z.int().min(1).max(1_000_000_000).default(1).describe('First line to read, counted from 1.'),
  limit: z.int().min(1).max(10_000).default(2_000).describe('How many lines to read, if they fit on a page.'),
  column: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1)
    .describe('First character of the line at offset, counted from 1; for lines longer than a page.'),
});
type Input = z.output<typeof input>;

/** The tool. The tracker records what it showed of which content. */
export function readFileTool(deps: { readonly tracker: FileTracker }): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace: each line as its number, a tab, and its text. Returns a page of whole lines, up to 9,000 characters; ' +
      'if the file continues, the last line of the result says how many lines there are and which offset to continue with. ' +
      'The number and the tab are not part of the file. A picture (PNG, JPEG, GIF, WebP) or a PDF is shown as it is. You must read a file to its end before you may replace all of it.',
    group: 'read',
    resume: 'repeat',
    input,
    inspect: pathInspection('read'),
    run: async (args, context, signal) => {
      const resolved = await resolveForReading(context.workspacePath, args.path);
      if (!resolved.ok) return failure(await withNearNames(context.workspacePath, args.path, resolved));
      return read(resolved.place, args, deps.tracker, context, signal);
    },
  });
}

async function read(
  place: InsidePath,
  args: Input,
  tracker: FileTracker,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const opened = await openForReading(place);
  if (!opened.ok) return failure(await explain(place, opened.reason));
  const name = showPath(place.relative);
  try {
    const seen = await shownWhole(name, opened);
    if (seen !== null) return seen;
    const file = await contentOf(place, opened, signal);
    const from = { line: args.offset, column: args.column };
    const found = file === null ? binary : await readPage(file.chunks, from, args.limit);
    if (found.kind === 'binary')
      return failure(`${name} is a binary file, and this tool shows text only; a command could inspect it.`);
    if (found.kind === 'no_such_place') return failure(`${name} ${whyNot(args)}`);
    const { page } = found;
    if (file?.fingerprint)
      tracker.read(context.task.id, place.absolute, file.fingerprint, { from, to: page.next });
    return success(
      page.lines.length === 0 ? `${name} is empty (0 bytes).` : answer(page, from, file?.lines ?? 0, context),
    );
  } finally {
    await opened.handle.close();
  }
}

/** How much of a file tells what it is. */
const HEAD_BYTES = 16;

/** A picture or a PDF, for models that can see; the words say what it is. Null: it is none. */
async function shownWhole(
  name: string,
  { handle, size }: Extract<OpenedFile, { ok: true }>,
): Promise<ToolOutcome | null> {
  const { buffer: head } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  if (size > MAX_MEDIA_BYTES || mediaFacts(head) === null) return null;
  const content = await handle.readFile();
  const facts = mediaFacts(content);
  if (facts === null) return null;
  const issue = mediaIssue(facts);
  if (issue !== null) return failure(`${name} is ${mediaText(facts)}, and cannot be shown: ${issue}.`);
  return { kind: 'result', output: `${name}: ${mediaText(facts)}`, media: [content] };
}

const binary = { kind: 'binary' } as const;

interface Content {
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly lines: number;
  /** Only of what can be held, and so edited. */
  readonly fingerprint: string | null;
}

/** What there is to read; null: no text. A file that is too large to be held is gone through once to count its lines. */
async function contentOf(
  place: InsidePath,
  { handle, size }: Extract<OpenedFile, { ok: true }>,
  signal: AbortSignal,
): Promise<Content | null> {
  if (size > MAX_WHOLE_BYTES) {
    const facts = await inspectFile(place, signal);
    if (facts?.kind !== 'text') return null;
    const chunks = handle.createReadStream({ autoClose: false, signal, highWaterMark: CHUNK_BYTES });
    return { chunks, lines: facts.lines, fingerprint: null };
  }
  const bytes = await handle.readFile();
  if (bytes.includes(0)) return null;
  return {
    chunks: piecesOf(bytes),
    lines: countLines(bytes.toString('latin1')),
    fingerprint: fingerprintOf(bytes),
  };
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function whyNot({ offset, column }: Input): string {
  return column === 1
    ? `ends before line ${offset}; use a smaller offset.`
    : `has no character ${column} in line ${offset}; use a smaller column, or none.`;
}

/** The lines, and where to go on. Of a line that is longer than a page it says how to read its rest, and how to skip it. */
function answer(page: TextPage, from: Place, total: number, { masker }: ToolContext): string {
  const { next, hasCrLf } = page;
  const [first = '', ...rest] = page.lines;
  const head = from.column > 1 ? [`[line ${from.line} from character ${from.column} on]`] : [];
  const lines = from.column > 1 ? [maskedLine(first, masker), ...rest] : page.lines;
  const notes = hasCrLf ? ['[lines end in CR LF]'] : [];
  if (next !== null)
    notes.push(next.column > 1 ? inLine(next, total) : afterLines(from.line, next.line, total));
  return [...head, ...lines, ...notes].join('\n');
}

/** A line without its beginning, behind its number. */
function maskedLine(shown: string, masker: ToolContext['masker']): string {
  const at = shown.indexOf('\t') + 1;
  return shown.slice(0, at) + masker.maskPart(shown.slice(at), { start: true, end: false });
}

function inLine({ line, column }: Place, total: number): string {
  const rest = `… line ${line} of ${total} goes on; continue with offset ${line} and column ${column}`;
  return line < total ? `${rest}, or with offset ${line + 1} for the next line` : rest;
}

function afterLines(first: number, next: number, total: number): string {
  const shown = next - first === 1 ? `line ${first}` : `lines ${first}-${next - 1}`;
  return `… ${shown} of ${total}; continue with offset ${next}`;
}

async function explain(place: InsidePath, reason: string): Promise<string> {
  const isFolder = await readdir(place.absolute).then(
    () => true,
    () => false,
  );
  return isFolder
    ? `${showPath(place.relative || '.')} is a folder; use list_files to see what is in it.`
    : `${reason}.`;
}
