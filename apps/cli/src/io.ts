/** The terminal as commands see it: what they print, and what they may know about where it goes. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { EXIT } from './exit-codes.js';

export type Colors = ReturnType<typeof pc.createColors>;

/** Data goes to `out`, everything else to `err`; both add the line end, and neither ever waits for a reader. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Like `out`, without a line end: for text that arrives in pieces. */
  outPiece(text: string): void;
  /** Bytes on stdout as they are, as fast as they are read. */
  outBytes(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Colours for text on stdout and on stderr; plain when that stream is no terminal or NO_COLOR is set. */
  readonly outColors: Colors;
  readonly errColors: Colors;
  /** Whether text on stderr may be redrawn in place. */
  readonly animate: boolean;
  /** Keeps a line that is being typed below everything that is printed, whole lines at a time, until the function that it gives is called. */
  pin(line: PinnedLine): () => void;
  /** A block of lines on stderr that is redrawn in place; one at a time. Whoever draws brings the means: most commands need none. */
  liveArea(create: typeof createLogUpdate): LiveArea;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  columns(): number;
  /** How wide a table on stdout may be: as wide as it is where no person reads it. */
  tableColumns(): number;
  rows(): number;
  /** Everything on stdin up to its end. */
  readStdin(): Promise<string>;
  /** The lines of stdin as they come. */
  lines(): AsyncIterable<string>;
  /** Where a person sits that can be asked: both ends of a terminal. Null when one of them is none. */
  readonly terminal: Terminal | null;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export interface PinnedLine {
  clear(): void;
  redraw(): void;
}

export interface LiveArea {
  update(text: string): void;
  /** Leaves the last text where it is; what is printed next goes below. */
  done(): void;
}

export interface IoSettings {
  /** From `--no-color` or NO_COLOR. */
  readonly noColor: boolean;
  /** From FORCE_COLOR. */
  readonly forceColor: boolean;
  /** From TERM: a dumb terminal can neither colour nor redraw. */
  readonly dumb: boolean;
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** The real terminal of a process. */
export function processIo(streams: Streams, settings: IoSettings): Io {
  const { stdin, stdout, stderr } = streams;
  const colored = (stream: NodeJS.WriteStream): boolean =>
    !settings.noColor && (settings.forceColor || (stream.isTTY === true && !settings.dumb));
  stdout.on('error', (error) => noteUnwritable(error, true));
  stderr.on('error', (error) => noteUnwritable(error, false));
  let live: ReturnType<typeof createLogUpdate> | null = null;
  let pinned: PinnedLine | null = null;
  let pieces = '';
  const print = (stream: NodeJS.WriteStream, text: string): void => {
    // A line goes above what is being redrawn, which comes again with its next frame.
    if (stream.isTTY) live?.clear();
    pinned?.clear();
    stream.write(`${text}\n`);
    pinned?.redraw();
  };
  const printPiece = (text: string): void => {
    if (pinned === null) return void stdout.write(text);
    pieces += text;
    const end = pieces.lastIndexOf('\n');
    if (end < 0) return;
    print(stdout, pieces.slice(0, end));
    pieces = pieces.slice(end + 1);
  };
  return {
    out: (text) => print(stdout, text),
    err: (text) => print(stderr, text),
    outPiece: printPiece,
    outBytes: async (all) => {
      for await (const bytes of all) if (!stdout.write(bytes)) await once(stdout, 'drain');
    },
    pin: (line) => {
      pinned = line;
      return () => {
        pinned = null;
        stdout.write(pieces);
        pieces = '';
      };
    },
    outColors: pc.createColors(colored(stdout)),
    errColors: pc.createColors(colored(stderr)),
    animate: stderr.isTTY === true && !settings.dumb,
    liveArea: (create) => {
      const log = create(stderr);
      live = log;
      return {
        update: (text) => log(text),
        done: () => {
          log.done();
          live = null;
        },
      };
    },
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    columns: () => stdout.columns || stderr.columns || DEFAULT_COLUMNS,
    tableColumns: () => (stdout.isTTY ? stdout.columns || DEFAULT_COLUMNS : Infinity),
    rows: () => stderr.rows || stdout.rows || DEFAULT_ROWS,
    readStdin: () => readAll(stdin),
    lines: () => createInterface({ input: stdin, crlfDelay: Infinity }),
    terminal: stdin.isTTY && stderr.isTTY && !settings.dumb ? { input: stdin, output: stderr } : null,
    now: () => Date.now(),
  };
}

interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** A terminal that went away, a disk that is full, and what follows from them. */
const UNWRITABLE = ['EIO', 'ENOSPC', 'EDQUOT', 'ERR_STREAM_DESTROYED'];

/**
 * A reader such as `head` may close the pipe early, which is its right. Output that is lost for another reason is none either to end
 * what this process looks after, but lost data is no success.
 */
function noteUnwritable(error: NodeJS.ErrnoException, isData: boolean): void {
  if (error.code === 'EPIPE') return;
  if (!UNWRITABLE.includes(error.code ?? '')) throw error;
  if (isData) process.exitCode = EXIT.error;
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
