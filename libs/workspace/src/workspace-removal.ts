/**
 * Removes the workspaces of trees whose rows are deleted, and what their commands have put out. A mark says before the rows go which folders may
 * have to go, too: a crash in between leaves the mark, and the next run looks whether the tree is still there. A folder is never
 * removed for the only reason that a database does not know it: it may be another one's.
 */
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
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
  /** Folder that holds what checkpoints are made with. */
  readonly shadowsRoot: string;
  /** The workspaces of a tree: subtasks may have their own. */
  readonly workspacesOf: (rootId: string) => Promise<readonly string[]>;
  /** Removes what is stored of the tree elsewhere than in its database; undefined when there is no such place. */
  readonly removeStored?: ((rootId: string) => Promise<void>) | undefined;
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
      const { root, removeStored, workspacesOf } = this.options;
      const ids = [...new Set([rootId, ...(await workspacesOf(rootId))])];
      const found = await Promise.all(
        [...ids.map((id) => path.join(root, id)), this.outputsOf(rootId)].map(isFolder),
      );
      if (removeStored === undefined && !found.includes(true)) return;
      await mkdir(root, { recursive: true, mode: 0o711 });
      const mark = this.markOf(rootId);
      await writeFile(`${mark}.new`, ids.join('\n'));
      await rename(`${mark}.new`, mark);
    });
  };

  /** To be called when it is known whether the rows are gone. */
  readonly after = async (rootId: string, gone: boolean): Promise<void> => {
    await this.attempt(rootId, async () => {
      if (gone) await this.removeAll(rootId);
      await rm(this.markOf(rootId), { force: true });
    });
  };

  private async removeAll(rootId: string): Promise<void> {
    const { keepWorkspaces, root, homesRoot, shadowsRoot, removeStored } = this.options;
    await removeTree(this.outputsOf(rootId));
    if (keepWorkspaces !== true)
      for (const id of await this.marked(rootId)) {
        if (await removeWorkspace(path.join(root, id), homesRoot)) this.removed += 1;
        await removeTree(path.join(shadowsRoot, id));
        await rm(path.join(shadowsRoot, `${id}.copy`), { force: true });
      }
    await removeStored?.(rootId);
  }

  /** A mark without names is from an older version. */
  private async marked(rootId: string): Promise<readonly string[]> {
    const names = (await readIfThere(this.markOf(rootId))).split('\n');
    return [...new Set([rootId, ...names])].filter((id) => ID.test(id));
  }

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

  private outputsOf(rootId: string): string {
    return path.join(this.options.outputsRoot, rootId);
  }

  private markOf(rootId: string): string {
    return path.join(this.options.root, `${rootId}${MARK}`);
  }
}

/** Removes a workspace with the home folder of its commands; false when there was none. Follows no link. */
export async function removeWorkspace(folder: string, homesRoot: string): Promise<boolean> {
  if (!(await isFolder(folder))) return false;
  const home = homeOf(homesRoot, await realpath(folder));
  for (const place of [home, `${home}.taken-back`]) await removeTree(place);
  await removeTree(folder);
  return true;
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

async function isFolder(name: string): Promise<boolean> {
  return (await lstat(name).catch(() => null))?.isDirectory() ?? false;
}
