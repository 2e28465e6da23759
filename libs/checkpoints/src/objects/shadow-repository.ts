/**
 * The store of a workspace's checkpoints: a bare repository of our own outside of the workspace, which holds objects and nothing that a user
 * would call a branch. It can be lost at any time; packs bring it back.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GitProgram } from '../git-program.js';
import { withLock } from '../lock.js';
import { ATTACHMENT, FILES, MODES } from './import-stream.js';

export interface ShadowOptions {
  /** Where it is, or is to be; nothing else may be there. */
  readonly folder: string;
  /** Object folders to borrow from, like that of a mirror: what they hold need not be stored here. They must be there for as long as this is. */
  readonly borrowFrom?: readonly string[];
  /** @defaultValue git */
  readonly program?: string;
}

/** A checkpoint's objects. */
export interface Trees {
  readonly root: string;
  /** What the workspace holds. */
  readonly files: string;
  /** The blob with the modes; null where all are usual. */
  readonly modes: string | null;
}

/** What git knows without storing it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const REFS = 'refs/checkpoints';

export class ShadowRepository {
  private constructor(
    readonly git: GitProgram,
    readonly folder: string,
  ) {}

  /**
   * Opens it, makes it when there is none, and has it alone among all processes of this machine, with nothing that a dead one has left.
   * Throws `GitFailed`.
   */
  static async alone<T>(
    options: ShadowOptions,
    signal: AbortSignal,
    use: (shadow: ShadowRepository) => Promise<T>,
  ): Promise<T> {
    const folder = path.resolve(options.folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const shadow = new ShadowRepository(new GitProgram(folder, options.program), folder);
    return withLock(folder, signal, async () => {
      await shadow.removeLeftovers();
      await shadow.prepare(options.borrowFrom ?? []);
      return use(shadow);
    });
  }

  /** Each step may be repeated: a process that died in the middle is not noticed. */
  private async prepare(borrowFrom: readonly string[]): Promise<void> {
    if (!(await this.isPrepared()))
      await this.git.run(['init', '--bare', '--quiet', '--template=', '--initial-branch=none', this.folder]);
    await mkdir(path.join(this.folder, 'info'), { recursive: true });
    await writeFile(path.join(this.folder, 'info', 'attributes'), ATTRIBUTES);
    const borrowed = borrowFrom.map((objects) => `${path.resolve(objects)}\n`);
    await writeFile(path.join(this.folder, 'objects', 'info', 'alternates'), borrowed.join(''));
  }

  /** All that git looks for in a repository; a start of git for each checkpoint costs more than these looks. */
  private async isPrepared(): Promise<boolean> {
    const names = new Set(await namesIn(this.folder));
    if (!['HEAD', 'config', 'objects', 'refs'].every((name) => names.has(name))) return false;
    return (await readFile(path.join(this.folder, 'HEAD'), 'utf8')).startsWith('ref: refs/');
  }

  /** Keeps the objects of these checkpoints from being tidied away. */
  async keep(commits: readonly string[]): Promise<void> {
    await this.updateRefs(commits.map((commit) => `update ${REFS}/${commit} ${commit}`));
  }

  /** Null when the store has no such checkpoint. */
  async trees(commit: string): Promise<Trees | null> {
    const asked = [`${commit}^{tree}`, `${commit}:${FILES}`, `${commit}:${MODES}`];
    const answer = await this.git.line(['cat-file', '--batch-check=%(objectname)'], {
      input: `${asked.join('\n')}\n`,
    });
    const [root, files, modes] = answer
      .split('\n')
      .map((line) => (/^[\da-f]{40,64}$/.test(line) ? line : null));
    return root ? { root, files: files ?? EMPTY_TREE, modes: modes ?? null } : null;
  }

  /** Whether the objects of a checkpoint are all here. */
  async isWhole(commit: string): Promise<boolean> {
    try {
      await this.git.run(['rev-list', '--objects', '--quiet', commit]);
      return true;
    } catch {
      return false;
    }
  }

  /** What else was kept with a checkpoint; null for nothing. */
  async attachment(commit: string): Promise<Buffer | null> {
    const listed = await this.git.line(['ls-tree', commit, ATTACHMENT]);
    return listed === '' ? null : this.blob(`${commit}:${ATTACHMENT}`);
  }

  async blob(id: string): Promise<Buffer> {
    return this.git.run(['cat-file', 'blob', id]);
  }

  /** Packs what is kept into one, and forgets the rest. */
  async tidy(keep: ReadonlySet<string>): Promise<void> {
    const kept = (await this.git.line(['for-each-ref', '--format=%(refname)', REFS])).split('\n');
    const dropped = kept.filter((ref) => ref !== '' && !keep.has(ref.slice(REFS.length + 1)));
    await this.updateRefs(dropped.map((ref) => `delete ${ref}`));
    await this.git.run(['pack-refs', '--all']);
    await this.git.run(['repack', '-a', '-d', '-l', '-q']);
    await this.git.run(['prune', '--expire=now']);
  }

  private async updateRefs(commands: readonly string[]): Promise<void> {
    await this.git.run(['update-ref', '--stdin'], { input: commands.map((line) => `${line}\n`).join('') });
  }

  /** What killed programs leave: locks that nobody holds, and halves of packs. Only to be called alone. */
  private async removeLeftovers(): Promise<void> {
    const objects = path.join(this.folder, 'objects');
    const found = [
      ...(await namesIn(this.folder)).filter((name) => /\.(lock|new)$|^fast_import_crash_/.test(name)),
      ...(await namesIn(path.join(this.folder, 'refs'), true))
        .filter((name) => name.endsWith('.lock'))
        .map((name) => path.join('refs', name)),
      ...(await namesIn(path.join(objects, 'pack')))
        .filter((name) => /^(\.?tmp[-_]|\.tmp)/.test(name) || name.endsWith('.lock'))
        .map((name) => path.join('objects', 'pack', name)),
      ...(await namesIn(objects))
        .filter((name) => name.startsWith('tmp_'))
        .map((name) => path.join('objects', name)),
    ];
    for (const name of found) await rm(path.join(this.folder, name), { recursive: true, force: true });
  }
}

/** Against whatever a tree of the store says: content is bytes. */
const ATTRIBUTES =
  '* !text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !export-ignore !export-subst !conflict-marker-size\n';

async function namesIn(folder: string, recursive = false): Promise<readonly string[]> {
  return readdir(folder, { recursive }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
