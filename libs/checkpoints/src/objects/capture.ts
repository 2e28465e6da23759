/** Puts the state of a workspace into its store, as a commit that no other one leads to. The files that changed since the last time are read, and no other. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { GitFailed } from '../git-program.js';
import type { BytePath } from '../files/byte-path.js';
import type { LeftOut } from '../files/left-out.js';
import { modesOf, writeModes } from '../files/modes.js';
import { scan, type Coverage, type Scan } from '../files/scan.js';
import { importStream, type Findings } from './import-stream.js';
import { lookOf, readKnownFiles, UNSURE, writeKnownFiles, type KnownFiles } from './known-files.js';
import type { ShadowRepository } from './shadow-repository.js';

export interface Captured {
  readonly commit: string;
  /** The root tree: equal when nothing that is covered differs. */
  readonly root: string;
  /** What the workspace holds. */
  readonly files: string;
  readonly leftOut: readonly LeftOut[];
  readonly fileCount: number;
}

export interface CaptureRequest {
  /** The workspace. */
  readonly folder: string;
  readonly coverage: Coverage;
  readonly message: string;
  readonly now: Date;
  /** What else is kept of the workspace; empty: nothing any more. Absent: what the last look kept. */
  readonly attachment?: Buffer | undefined;
  /** More bytes of new content than this are too much. */
  readonly maxBytes?: number;
}

/** There is more to keep than may be kept at once. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

const KNOWN = 'known-files';
const CAPTURE_REF = 'refs/capture';

/** Only to be called alone. Throws `GitFailed`, `UnknownRules`, `OverBudget`, the file system's errors, and the signal's reason. */
export async function capture(
  shadow: ShadowRepository,
  request: CaptureRequest,
  signal: AbortSignal,
): Promise<Captured> {
  const file = path.join(shadow.folder, KNOWN);
  const scanned = await scan(request.folder, request.coverage, signal);
  const known = await readKnownFiles(file);
  const usable = known?.root === request.folder ? known : null;
  try {
    return await store(shadow, request, scanned, usable, signal);
  } catch (error) {
    // The tree to start from may be gone from the store: then everything is read again.
    if (usable === null || !(error instanceof GitFailed) || error.isDiskFull || error.isMissing) throw error;
    return store(shadow, request, await scan(request.folder, request.coverage, signal), null, signal);
  }
}

async function store(
  shadow: ShadowRepository,
  request: CaptureRequest,
  scanned: Scan,
  known: KnownFiles | null,
  signal: AbortSignal,
): Promise<Captured> {
  const looks = looksOf(scanned);
  const before = known?.looks ?? new Map<BytePath, string>();
  // Without lists in between: there may be a hundred thousand names.
  const gone: BytePath[] = [];
  const fresh: BytePath[] = [];
  for (const name of before.keys()) if (!looks.has(name)) gone.push(name);
  for (const [name, look] of looks) if (look === UNSURE || look !== before.get(name)) fresh.push(name);
  checkBudget(fresh, scanned, request.maxBytes);
  const findings: Findings = { ...scanned, looks, bytes: 0 };
  const modes = writeModes(modesOf(scanned.entries));
  const modesText = modes.toString('latin1');
  const knownAttachment = known?.attachment ?? '';
  const attachment = request.attachment === undefined ? knownAttachment : digestOf(request.attachment);
  const change = {
    ref: CAPTURE_REF,
    message: request.message,
    seconds: Math.floor(request.now.getTime() / 1_000),
    from: known?.tree ?? null,
    gone,
    fresh,
    modes: known?.modes === modesText ? null : modes,
    attachment: attachment === knownAttachment ? null : (request.attachment ?? null),
  };
  const commit = await shadow.git.line(['fast-import', '--quiet', '--force', '--done', '--depth=0'], {
    input: importStream(request.folder, change, findings),
    signal,
  });
  const trees = await shadow.trees(commit);
  if (trees === null) throw new Error(`git kept no tree of ${commit}`);
  const { root, files } = trees;
  await writeKnownFiles(path.join(shadow.folder, KNOWN), {
    tree: root,
    root: request.folder,
    modes: modesText,
    attachment,
    looks,
  });
  return { commit, root, files, leftOut: findings.leftOut.all, fileCount: looks.size };
}

function digestOf(bytes: Buffer): string {
  return bytes.length === 0 ? '' : createHash('sha256').update(bytes).digest('hex');
}

function looksOf({ entries, startedAtMs }: Scan): Map<BytePath, string> {
  const looks = new Map<BytePath, string>();
  for (const [name, seen] of entries) if (seen.kind !== 'folder') looks.set(name, lookOf(seen, startedAtMs));
  return looks;
}

/** Before anything is read. */
function checkBudget(fresh: readonly BytePath[], { entries }: Scan, maxBytes = Infinity): void {
  let bytes = 0;
  for (const name of fresh) bytes += entries.get(name)?.size ?? 0;
  if (bytes > maxBytes) throw new OverBudget(`${bytes} bytes are new, and ${maxBytes} may be`);
}
