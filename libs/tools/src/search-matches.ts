/** Runs ripgrep over a list of files and keeps one page of what it finds, in the order of the list. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  inheritedName,
  openForReading,
  ripgrepMessages,
  type CommandUser,
  type InsidePath,
  type RipgrepLine,
  type RipgrepMessage,
  type RipgrepRun,
  type RipgrepText,
} from '@bullpen/workspace';
import { inspectFile } from './file-content.js';
import { trimAround, type FoundLine, type FoundMatch } from './search-text.js';

/** Counting stops here: nobody pages through more, and each match costs. */
export const MAX_MATCHES = 10_000;

/** Bytes of paths in one ripgrep run, and what each argument costs besides; Linux takes 2 MB of arguments. */
const MAX_BATCH_BYTES = 1_000_000;
const ARGUMENT_BYTES = 16;

export interface SearchOptions {
  readonly pattern: string;
  readonly caseSensitive: boolean;
  readonly context: number;
  readonly offset: number;
  readonly limit: number;
}

export interface Found {
  readonly total: number;
  readonly files: number;
  readonly page: readonly FoundMatch[];
  readonly unreadable: number;
  /** True when there may be more than were counted. */
  readonly stopped: boolean;
}

/**
 * Matching lines in files given by their paths relative to the root; matches of binary files are left out. ripgrep opens files by name
 * and follows links, so a command that still runs could swap one in. Its first look therefore says only which files to open; these
 * are opened here, where no link is followed, and what it finds in them is what counts.
 */
export async function searchFiles(
  root: string,
  files: readonly string[],
  options: SearchOptions,
  signal: AbortSignal,
): Promise<Found> {
  const collector = new Collector(root, options, signal);
  const run = { cwd: root, user: await ownerOf(root) };
  let unreadable = 0;
  for (const batch of batchesOf(files)) {
    if (collector.isFull) break;
    const first = [...argumentsOf(options), '--max-count=1', '--', ...batch];
    const candidates: string[] = [];
    unreadable += await readAll(ripgrepMessages({ ...run, args: first }, signal), (message) => {
      if (message.type === 'begin') candidates.push(nameOf(message));
      return candidates.length > MAX_MATCHES;
    });
    for (let at = 0; at < candidates.length && !collector.isFull; at += MAX_OPEN)
      await searchOpened(candidates.slice(at, at + MAX_OPEN), run, collector, options, signal);
  }
  return { ...collector.found(), unreadable };
}

/** So many files are open at a time. */
const MAX_OPEN = 64;

async function searchOpened(
  names: readonly string[],
  run: Pick<RipgrepRun, 'cwd' | 'user'>,
  collector: Collector,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<void> {
  const opened = await Promise.all(names.map((name) => openNamed(run.cwd, name)));
  const files = opened.flatMap((file) => (file === null ? [] : [file]));
  try {
    const places = files.map((_, at) => inheritedName(at));
    const args = [...argumentsOf(options), '--', ...places];
    const inherited = files.map(({ handle }) => handle.fd);
    collector.names = new Map(files.map(({ name }, at) => [inheritedName(at), name]));
    if (files.length === 0) return;
    await readAll(ripgrepMessages({ ...run, args, inherited }, signal), async (message) => {
      await collector.take(message);
      return collector.isFull;
    });
  } finally {
    await Promise.all(files.map(({ handle }) => handle.close()));
  }
}

async function openNamed(root: string, name: string) {
  const opened = await openForReading(placeOf(root, name));
  return opened.ok ? { name, handle: opened.handle } : null;
}

/** Reads messages until there is enough; gives how many files could not be read. */
async function readAll(
  messages: AsyncGenerator<RipgrepMessage, number>,
  take: (message: RipgrepMessage) => boolean | Promise<boolean>,
): Promise<number> {
  for (let next = await messages.next(); ; next = await messages.next()) {
    if (next.done) return next.value;
    if (!(await take(next.value))) continue;
    await messages.return(0);
    return 0;
  }
}

function nameOf({ data }: Extract<RipgrepMessage, { type: 'begin' }>): string {
  return decode(data.path).toString('utf8').replace(/^\.\//, '');
}

function placeOf(root: string, relative: string): InsidePath {
  return { root, relative, absolute: path.join(root, relative), exists: true };
}

function* batchesOf(files: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const file of files) {
    // Named from the folder on: a name like `-e` is then no option.
    batch.push(`./${file}`);
    bytes += Buffer.byteLength(file) + ARGUMENT_BYTES;
    if (bytes < MAX_BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function argumentsOf(options: SearchOptions): readonly string[] {
  return [
    // One thread searches in the order of the arguments.
    '--threads=1',
    // Memory maps are looked at only at their start for the NUL bytes that tell a binary file.
    '--no-mmap',
    options.caseSensitive ? '--case-sensitive' : '--ignore-case',
    `--context=${options.context}`,
    `--regexp=${options.pattern}`,
  ];
}

/** As the owner of the workspace it reaches nothing that a command does not reach itself. */
async function ownerOf(root: string): Promise<CommandUser | null> {
  const { uid, gid } = await stat(root);
  return uid === 0 ? null : { uid, gid };
}

interface OpenFile {
  readonly path: string;
  readonly matches: FoundMatch[];
  count: number;
  /** Known to be binary before its end. */
  isLeftOut: boolean;
  /** Number of the last matching line. */
  lastLine: number;
  /** Of the last match, when it is on the page; lines after it are added here. */
  after: FoundLine[];
  /** Context lines seen since, which belong to the next match. */
  before: FoundLine[];
}

/** Takes ripgrep's messages of files in order; a file counts when its end has shown that it is text. */
class Collector {
  isFull = false;
  /** Names of the files that are searched, by what ripgrep is told. */
  names: ReadonlyMap<string, string> = new Map();
  private total = 0;
  private files = 0;
  private readonly page: FoundMatch[] = [];
  private file: OpenFile = newFile('');

  constructor(
    private readonly root: string,
    private readonly options: SearchOptions,
    private readonly signal: AbortSignal,
  ) {}

  async take(message: RipgrepMessage): Promise<void> {
    switch (message.type) {
      case 'begin':
        this.file = newFile(this.names.get(nameOf(message)) ?? nameOf(message));
        return;
      case 'context':
        return this.takeContext(message.data);
      case 'match':
        if (this.file.isLeftOut) return;
        if (this.total + this.file.count < MAX_MATCHES) return this.takeMatch(message.data);
        return this.overflow();
      case 'end':
        if (this.file.isLeftOut || this.file.count === 0 || message.data.binary_offset !== null) return;
        // ripgrep reads UTF-16 as text; for everybody else it is full of NUL bytes.
        if (!(await isUtf16(this.place()))) this.countFile();
        return;
      case 'summary':
        return;
    }
  }

  found(): Omit<Found, 'unreadable'> {
    return { total: this.total, files: this.files, page: this.page, stopped: this.isFull };
  }

  /** One match too many, if they count: ripgrep says what kind of file it is only at its end, so it is looked at here. */
  private async overflow(): Promise<void> {
    const facts = await inspectFile(this.place(), this.signal);
    if (facts?.kind !== 'text' || (await isUtf16(this.place()))) {
      this.file.isLeftOut = true;
      return;
    }
    this.isFull = true;
    if (this.file.count > 0) this.countFile();
  }

  private takeContext(line: RipgrepLine): void {
    const text = trimAround(textOf(decode(line.lines)), 0, 0);
    const isAfter = this.file.count > 0 && line.line_number <= this.file.lastLine + this.options.context;
    (isAfter ? this.file.after : this.file.before).push({ line: line.line_number, text });
  }

  private takeMatch(line: RipgrepLine): void {
    const { file, options } = this;
    const index = this.total + file.count;
    const after: FoundLine[] = [];
    if (index >= options.offset && index < options.offset + options.limit) {
      file.matches.push({
        path: file.path,
        line: line.line_number,
        ...matchText(line),
        before: file.before,
        after,
      });
    }
    file.count += 1;
    file.lastLine = line.line_number;
    file.after = after;
    file.before = [];
  }

  private countFile(): void {
    this.total += this.file.count;
    this.files += 1;
    this.page.push(...this.file.matches);
  }

  private place(): InsidePath {
    return placeOf(this.root, this.file.path);
  }
}

function newFile(path: string): OpenFile {
  return { path, matches: [], count: 0, isLeftOut: false, lastLine: 0, after: [], before: [] };
}

/** Column and trimmed text of a matching line. ripgrep counts bytes of the line, people count characters. */
function matchText(line: RipgrepLine): { column: number; text: string } {
  const bytes = decode(line.lines);
  const [first] = line.submatches;
  const before = bytes.subarray(0, first?.start ?? 0).toString('utf8');
  const matched = bytes.subarray(first?.start ?? 0, first?.end ?? 0).toString('utf8');
  return {
    column: countCharacters(before) + 1,
    text: trimAround(textOf(bytes), before.length, before.length + matched.length),
  };
}

function decode(text: RipgrepText): Buffer {
  return 'text' in text ? Buffer.from(text.text, 'utf8') : Buffer.from(text.bytes, 'base64');
}

function textOf(line: Buffer): string {
  return line.toString('utf8').replace(/\r?\n$/, '');
}

/** Code points; lines can have millions, so none is made into a string of its own. */
function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

async function isUtf16(place: InsidePath): Promise<boolean> {
  const opened = await openForReading(place);
  if (!opened.ok) return false;
  try {
    const { buffer } = await opened.handle.read(Buffer.alloc(2), 0, 2, 0);
    const mark = buffer.readUInt16BE(0);
    return mark === 0xfeff || mark === 0xfffe;
  } finally {
    await opened.handle.close();
  }
}
