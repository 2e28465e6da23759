/** read_file: numbered lines of a text file. */
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import type { Tool, ToolContext, ToolOutcome } from '@bullpen/core';
import { openForReading, resolveForReading, wholeChars, type InsidePath } from '@bullpen/workspace';
import { defineTool, failure, success } from './define-tool.js';
import { fingerprintOf, MAX_WHOLE_BYTES } from './file-content.js';
import type { FileTracker } from './file-tracker.js';
import { withNearNames } from './near-names.js';
import { showPath } from './pages.js';
import { scanLines, type LineScan, type ScannedLine } from './scan-lines.js';
import { pathInspection } from './touched-paths.js';

const MAX_LINE_CHARS = 2_000;
/** Characters of one answer; the core keeps start and end of it for the model and stores the rest. */
const MAX_ANSWER_CHARS = 200_000;

const input = z.strictObject({
  path: z.string().describe('File, relative to the workspace folder.'),
  offset: z.int().min(1).max(1_000_000_000).default(1).describe('First line to read, counted from 1.'),
  limit: z.int().min(1).max(10_000).default(2_000).describe('How many lines to read.'),
});

/** The tool; what it read whole is recorded in the tracker. */
export function readFileTool(deps: { readonly tracker: FileTracker }): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace: each line as its number, a tab, its text. Lines over 2,000 characters are cut. ' +
      'Use offset and limit for long files. Read a file before you overwrite it with write_file.',
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
  args: z.output<typeof input>,
  tracker: FileTracker,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const opened = await openForReading(place);
  if (!opened.ok) return failure(await explain(place, opened.reason));
  try {
    const isWhole = opened.size <= MAX_WHOLE_BYTES;
    const bytes = isWhole ? await opened.handle.readFile() : null;
    const chunks = bytes
      ? [bytes]
      : opened.handle.createReadStream({ autoClose: false, signal, highWaterMark: 256 * 1_024 });
    const scan = scanLines(chunks, args.offset, MAX_WHOLE_BYTES);
    const page = await pageOf(scan, args);
    if (scan.sawNul)
      return failure(
        `${showPath(place.relative)} is a binary file; read_file shows text only. Use run_command to inspect it.`,
      );
    if (bytes)
      tracker.record(context.taskId, place.absolute, { fingerprint: fingerprintOf(bytes), writtenBy: null });
    return answer(place, args, page, scan);
  } finally {
    await opened.handle.close();
  }
}

interface Page {
  readonly lines: readonly string[];
  /** Number of the last line seen; the file's line count when `isEnd`. */
  readonly lastLine: number;
  readonly isEnd: boolean;
  readonly hasCrLf: boolean;
}

async function pageOf(scan: LineScan, args: z.output<typeof input>): Promise<Page> {
  const lines: string[] = [];
  let chars = 0;
  let lastLine = 0;
  let hasCrLf = false;
  for await (const line of scan.lines()) {
    if (lines.length >= args.limit || chars > MAX_ANSWER_CHARS)
      return { lines, lastLine, isEnd: false, hasCrLf };
    const text = `${line.number}\t${textOfLine(line)}`;
    lines.push(text);
    chars += text.length;
    lastLine = line.number;
    hasCrLf ||= line.head.at(-1) === 13;
  }
  return { lines, lastLine, isEnd: !scan.hitBound, hasCrLf };
}

function textOfLine(line: ScannedLine): string {
  const decoded = line.head
    .toString('utf8')
    .replace(/\r$/, '')
    .replace(/^\uFEFF/, '');
  if (decoded.length <= MAX_LINE_CHARS && line.head.length === line.bytes) return decoded;
  return `${wholeChars(decoded, MAX_LINE_CHARS)} … [line cut: it has ${line.bytes} bytes]`;
}

function answer(place: InsidePath, args: z.output<typeof input>, page: Page, scan: LineScan): ToolOutcome {
  const name = showPath(place.relative);
  if (page.lines.length === 0) {
    if (args.offset === 1) return success(`${name} is empty (0 bytes).`);
    return failure(`${name} ends before line ${args.offset}; use a smaller offset.`);
  }
  const notes = page.hasCrLf ? ['[lines end in CR LF]'] : [];
  if (scan.hitBound) notes.push(`[stopped after 10 MB; continue with offset ${page.lastLine + 1}]`);
  else if (!page.isEnd) notes.push(`… more lines; continue with offset ${page.lastLine + 1}`);
  return success([...page.lines, ...notes].join('\n'));
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
