/**
 * Removes the workspaces of trees whose rows are deleted, and what their commands have put out. A mark beside the folder says before the rows go that the folder may
 * have to go, too: a crash in between leaves the mark, and the next run looks whether the tree is still there. A folder is never
 * removed for the only reason that a database does not know it: it may be another one's.
 */
import { lstat, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeTree } from './remove-tree.js';
import { homeOf } from './sandbox/command-user.js';

export interface WorkspaceRemovalOptions {
  /** Folder that holds the workspaces. */
  readonly root: string;
  /** Folder that holds the home folders of commands. */
  readonly homesRoot: string;
  /** Folder that holds the output of commands. */
  readonly outputsRoot: string;
  /** Only output goes. @defaultValue false */
  readonly keepWorkspaces?: boolean;
  /** Told what could not be removed; the rest goes on. */
  readonly onProblem: (rootId: string, error: unknown) => void;
}

const MARK = '.removing';
const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** Its methods never throw. */
export class WorkspaceRemoval {
  /** Workspaces that were removed. */
  removed = 0;

  constructor(private readonly options: WorkspaceRemovalOptions) {}

  /** Finishes what a crash interrupted. `known` says which of the ids are still tasks. */
  async recover(known: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    try {
      const ids = (await this.names())
        .filter((name) => name.endsWith(MARK))
        .map((name) => name.slice(0, -MARK.length))
        .filter((id) => ID.test(id));
      if (ids.length === 0) return;
      const kept = await known(ids);
      for (const id of ids) await this.after(id, !kept.has(id));
    } catch (error) {
      this.options.onProblem('', error);
    }
  }

  /** To be called before the rows of the tree may go. */
  readonly before = async (rootId: string): Promise<void> => {
    await this.attempt(rootId, async () => {
      // A mark would take the workspace along after a crash.
      if (this.options.keepWorkspaces === true) return;
      if (!(await isFolder(this.folderOf(rootId))) && !(await isFolder(this.outputsOf(rootId)))) return;
      await mkdir(this.options.root, { recursive: true, mode: 0o711 });
      await writeFile(this.markOf(rootId), '');
    });
  };

  /** To be called when it is known whether the rows are gone. */
  readonly after = async (rootId: string, gone: boolean): Promise<void> => {
    await this.attempt(rootId, async () => {
      if (gone) await removeTree(this.outputsOf(rootId));
      if (gone && this.options.keepWorkspaces !== true && (await isFolder(this.folderOf(rootId)))) {
        const folder = await realpath(this.folderOf(rootId));
        const home = homeOf(this.options.homesRoot, folder);
        for (const place of [home, `${home}.taken-back`]) await removeTree(place);
        await removeTree(this.folderOf(rootId));
        this.removed += 1;
      }
      await rm(this.markOf(rootId), { force: true });
    });
  };

  private async attempt(rootId: string, work: () => Promise<void>): Promise<void> {
    if (!ID.test(rootId)) return;
    try {
      await work();
    } catch (error) {
      this.options.onProblem(rootId, error);
    }
  }

  private async names(): Promise<string[]> {
    return readdir(this.options.root).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  }

  private folderOf(rootId: string): string {
    return path.join(this.options.root, rootId);
  }

  private outputsOf(rootId: string): string {
    return path.join(this.options.outputsRoot, rootId);
  }

  private markOf(rootId: string): string {
    return `${this.folderOf(rootId)}${MARK}`;
  }
}

async function isFolder(name: string): Promise<boolean> {
  return (await lstat(name).catch(() => null))?.isDirectory() ?? false;
}
