/**
 * What git's trees cannot hold: permission bits beyond "may be run", and folders without files. Kept in a small text beside the tree. It
 * names the usual bits once and then only what differs, so that it stays small for any umask.
 */
import { parentOf, type BytePath } from './byte-path.js';
import type { Seen } from './scan.js';

export interface Usual {
  readonly file: number;
  readonly program: number;
  readonly folder: number;
}

export interface Modes {
  readonly usual: Usual;
  /** Of what differs from the usual, and of folders that no file implies. */
  readonly files: ReadonlyMap<BytePath, number>;
  readonly folders: ReadonlyMap<BytePath, number>;
}

export const NO_MODES: Modes = {
  usual: { file: 0o644, program: 0o755, folder: 0o755 },
  files: new Map(),
  folders: new Map(),
};

export function isProgram(perm: number): boolean {
  return (perm & 0o100) !== 0;
}

/** The bits of a file of which git knows only whether it may be run. */
export function permOf(modes: Modes, path: BytePath, program: boolean): number {
  const perm = modes.files.get(path);
  // A merge may have changed the one and not the other: the tree wins.
  if (perm !== undefined && isProgram(perm) === program) return perm;
  return program ? modes.usual.program : modes.usual.file;
}

export function modesOf(entries: ReadonlyMap<BytePath, Seen>): Modes {
  const counts = { file: new Counts(), program: new Counts(), folder: new Counts() };
  const implied = new Set<BytePath>();
  for (const [path, { kind, perm }] of entries) {
    if (kind === 'folder') {
      counts.folder.add(perm);
      continue;
    }
    for (let above = parentOf(path); above !== '' && !implied.has(above); above = parentOf(above))
      implied.add(above);
    if (kind === 'file') counts[isProgram(perm) ? 'program' : 'file'].add(perm);
  }
  const usual = {
    file: counts.file.most ?? NO_MODES.usual.file,
    program: counts.program.most ?? NO_MODES.usual.program,
    folder: counts.folder.most ?? NO_MODES.usual.folder,
  };
  const files = new Map<BytePath, number>();
  const folders = new Map<BytePath, number>();
  for (const [path, { kind, perm }] of entries) {
    if (kind === 'folder' && (perm !== usual.folder || !implied.has(path))) folders.set(path, perm);
    if (kind === 'file' && perm !== (isProgram(perm) ? usual.program : usual.file)) files.set(path, perm);
  }
  return { usual, files, folders };
}

class Counts {
  private readonly byPerm = new Map<number, number>();

  add(perm: number): void {
    this.byPerm.set(perm, (this.byPerm.get(perm) ?? 0) + 1);
  }

  get most(): number | undefined {
    return [...this.byPerm].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  }
}

/** Lines end with NUL, because a name may hold anything else; sorted, so that the next one is a small difference. */
export function writeModes({ usual, files, folders }: Modes): Buffer {
  const head = `1 ${[usual.file, usual.program, usual.folder].map(octal).join(' ')}`;
  const lines = [
    ...[...files].map(([path, perm]) => `${path}\tf ${octal(perm)}`),
    ...[...folders].map(([path, perm]) => `${path}\td ${octal(perm)}`),
  ].sort((a, b) => (a < b ? -1 : 1));
  return Buffer.from([head, ...lines].map((line) => `${line}\0`).join('\n'), 'latin1');
}

export function readModes(text: Buffer): Modes {
  const [head = '', ...lines] = text.toString('latin1').split('\0');
  const [version, file, program, folder] = head.split(' ');
  if (version !== '1') throw new Error(`unknown list of modes: ${head.slice(0, 40)}`);
  const files = new Map<BytePath, number>();
  const folders = new Map<BytePath, number>();
  for (const line of lines) {
    const end = line.lastIndexOf('\t');
    if (end < 1) continue;
    const into = line[end + 1] === 'd' ? folders : files;
    into.set(line.slice(1, end), bits(line.slice(end + 3)));
  }
  return { usual: { file: bits(file), program: bits(program), folder: bits(folder) }, files, folders };
}

function octal(perm: number): string {
  return perm.toString(8);
}

function bits(text: string | undefined): number {
  const perm = Number.parseInt(text ?? '', 8);
  if (Number.isNaN(perm)) throw new Error(`no permission bits: ${String(text)}`);
  return perm & 0o7777;
}
