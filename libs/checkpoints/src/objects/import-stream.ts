/**
 * One commit as a stream for `git fast-import`: what is gone, then what is new, with its content. It starts from a tree that the store has, so it holds
 * only what changed, and what it brings is packed at once.
 */
import { bytesOf, nameOf, parentOf, type BytePath } from '../files/byte-path.js';
import { HeldFolders, type HeldFolder } from '../files/held-folder.js';
import type { LeftOutNotes } from '../files/left-out.js';
import { isProgram } from '../files/modes.js';
import { linkTarget, ReadFile } from '../files/read-file.js';
import { isGone, type Seen } from '../files/scan.js';

/** Where in a checkpoint's tree the files are, and what is said about their modes. */
export const FILES = 'files';
export const MODES = 'modes';
/** What else is kept of the workspace: bytes of whoever takes the checkpoint. */
export const ATTACHMENT = 'attachment';

export interface Change {
  readonly ref: string;
  readonly message: string;
  readonly seconds: number;
  /** The root tree to start from. */
  readonly from: string | null;
  readonly gone: readonly BytePath[];
  readonly fresh: readonly BytePath[];
  /** Null: as in the tree to start from. */
  readonly modes: Buffer | null;
  /** Null: as in the tree to start from; empty: none. */
  readonly attachment: Buffer | null;
}

/** What the stream learns on its way: it corrects what the scan found. */
export interface Findings {
  readonly entries: Map<BytePath, Seen>;
  readonly looks: Map<BytePath, string>;
  readonly leftOut: LeftOutNotes;
  /** Bytes of content so far. */
  bytes: number;
}

export async function* importStream(
  root: string,
  change: Change,
  findings: Findings,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head(change));
  if (change.gone.length > 0)
    yield bytesOf(change.gone.map((path) => `D ${quoted(`${FILES}/${path}`)}\n`).join(''));
  const folders = new HeldFolders(root);
  try {
    yield* gathered(contents(folders, change.fresh, findings));
  } finally {
    folders.close();
  }
  if (change.modes !== null) {
    yield Buffer.from(`M 100644 inline ${MODES}\ndata ${change.modes.length}\n`);
    yield change.modes;
    yield LINE_END;
  }
  if (change.attachment !== null) yield* attachmentOf(change.attachment);
  yield Buffer.from('\nget-mark :1\ndone\n');
}

function* attachmentOf(bytes: Buffer): Generator<Buffer> {
  if (bytes.length === 0) return yield Buffer.from(`D ${ATTACHMENT}\n`);
  yield Buffer.from(`M 100644 inline ${ATTACHMENT}\ndata ${bytes.length}\n`);
  yield bytes;
  yield LINE_END;
}

function head({ ref, message, seconds, from }: Change): string {
  const text = Buffer.from(message);
  return [
    'feature done',
    `commit ${ref}`,
    'mark :1',
    `committer bullpen <bullpen@localhost> ${seconds} +0000`,
    `data ${text.length}`,
    text.toString(),
    ...(from === null ? [] : [`M 040000 ${from} ""`]),
    '',
  ].join('\n');
}

function* contents(folders: HeldFolders, fresh: readonly BytePath[], findings: Findings): Generator<Buffer> {
  for (const path of fresh) {
    try {
      yield* contentOf(folders, path, findings);
    } catch (error) {
      const gone = isGone(error);
      if (!gone && !isClosed(error)) throw error;
      if (!gone) findings.leftOut.add('unreadable', path);
      // What it has become is seen by the next checkpoint.
      findings.entries.delete(path);
      findings.looks.delete(path);
      yield bytesOf(`D ${quoted(`${FILES}/${path}`)}\n`);
    }
  }
}

function* contentOf(folders: HeldFolders, path: BytePath, findings: Findings): Generator<Buffer> {
  const folder = folders.at(parentOf(path));
  const name = nameOf(path);
  if (findings.entries.get(path)?.kind === 'link') {
    const target = linkTarget(folder, name);
    yield bytesOf(`M 120000 inline ${quoted(`${FILES}/${path}`)}\ndata ${target.length}\n`);
    yield target;
    yield LINE_END;
    return;
  }
  // A second look usually finds a file whole that a program was just saving.
  if (yield* fileContent(folder, path, findings)) return;
  if (!(yield* fileContent(folders.at(parentOf(path)), path, findings)))
    findings.leftOut.add('changing', path);
}

/** Returns whether nobody wrote to it meanwhile. */
function* fileContent(folder: HeldFolder, path: BytePath, findings: Findings): Generator<Buffer, boolean> {
  const file = ReadFile.open(folder, nameOf(path));
  try {
    const mode = isProgram(file.stats.mode) ? '100755' : '100644';
    yield bytesOf(`M ${mode} inline ${quoted(`${FILES}/${path}`)}\ndata ${file.stats.size}\n`);
    yield* file.pieces();
    yield LINE_END;
    findings.bytes += file.stats.size;
    return file.isSteady;
  } finally {
    file.close();
  }
}

const LINE_END = Buffer.from('\n');
const GATHERED_BYTES = 262_144;

/** Small pieces together: a write for each of a hundred thousand files would cost more than their content. */
function* gathered(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < GATHERED_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/** In C's way, with every byte that is no plain character as it is. */
function quoted(path: BytePath): string {
  const escaped = path.replace(/["\\\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
  return `"${escaped}"`;
}

function isClosed(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM' || code === 'EIO';
}
