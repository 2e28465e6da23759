/**
 * The repository of a workspace: its branches and commits go into the checkpoints, and come back where a workspace is made anew. What the work began with
 * is taken from where it came from then, and not stored.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorText, NO_RULES, originOf, type TaskWorkspace } from '@bullpen/contracts';
import { ObjectsMissing, type Checkpoints } from '@bullpen/checkpoints';
import type { NewCheckpoint, TaskRecord } from '@bullpen/core';
import {
  lookOfRefs,
  packRepository,
  placeRepository,
  prepareHome,
  readRepository,
  removeTree,
  unpackRepository,
  type CarriedRepository,
  type CommandUser,
  type Sandbox,
  type WorkspaceManager,
} from '@bullpen/workspace';
import { isFolder } from './is-folder.js';

export interface RepositoriesOptions {
  readonly manager: WorkspaceManager;
  /** Reads them, as the agent's commands would. */
  readonly sandbox: Sandbox;
  /** Folder that holds the workspaces. */
  readonly root: string;
  /** Folder that holds the homes of commands. */
  readonly homesRoot: string;
  /** PATH of commands. */
  readonly path: string;
  /** Owner of the files when this process is root. */
  readonly user: CommandUser | null;
  /** In whose name agents commit: `Name <address>`. */
  readonly identity: string;
}

/** What goes into a checkpoint besides files; absent: as it was in the one before. */
export interface Carried {
  readonly attachment?: Buffer;
  readonly leftOut: NewCheckpoint['leftOut'];
}

export class Repositories {
  constructor(private readonly options: RepositoriesOptions) {}

  /** The repository in this folder, for one run. */
  watch(spec: TaskWorkspace, folder: string): RepositoryWatch {
    return new RepositoryWatch({ ...this.options, spec, folder });
  }

  /**
   * Makes the repository that belongs to a checkpoint, and gives where it lies until the files are there; null when there is none. Nothing may lie at `folder`
   * yet. Throws `ObjectsMissing`.
   */
  async make(
    task: TaskRecord,
    folder: string,
    { commit, checkpoints }: { readonly commit: string; readonly checkpoints: Checkpoints },
    signal: AbortSignal,
  ): Promise<string | null> {
    const { root, path, user: owner, identity } = this.options;
    const place = join(root, `${task.workspaceId}.tmp-git`);
    await removeTree(place);
    const isThere = await this.begun(task, folder, place, signal);
    const bytes = await checkpoints.attachmentOf(commit, signal);
    if (bytes === null) return isThere ? place : null;
    const at = { gitFolder: place, path, owner, identity };
    if ((await placeRepository(unpackRepository(bytes), at, signal)) || isThere) return place;
    await removeTree(place);
    return null;
  }

  /** As it was when the work began, if it can be had here. */
  private async begun(
    task: TaskRecord,
    folder: string,
    place: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { tenantId, workspace, workspaceId } = task;
    const spec = originOf(workspace);
    if (spec.kind === 'empty') return false;
    try {
      await this.options.manager.prepare(workspaceId, spec, signal, { tenantId });
      const own = join(folder, '.git');
      if (!(await isFolder(own))) return false;
      await rename(own, place);
      return true;
    } catch (error) {
      // The folder that was copied may be on the machine that is gone.
      if (error instanceof AppError && error.code === 'invalid_workspace') return false;
      throw error;
    } finally {
      await removeTree(folder);
    }
  }
}

interface WatchOptions extends RepositoriesOptions {
  readonly spec: TaskWorkspace;
  readonly folder: string;
}

/** Looks at the repository before each checkpoint; starts git only when its refs look different. */
export class RepositoryWatch {
  private last: { readonly look: string | null; readonly carried: Carried } | null = null;
  private before: CarriedRepository | null = null;

  constructor(private readonly options: WatchOptions) {}

  /** @param parent the last checkpoint, or the one that it begins from. Throws the signal's reason. */
  async now(parent: string | null, checkpoints: Checkpoints, signal: AbortSignal): Promise<Carried> {
    const look = await lookOfRefs(this.options.folder);
    if (look !== null && look === this.last?.look) return this.last.carried;
    this.before ??= parent === null ? null : await stored(parent, checkpoints, signal);
    const carried = await this.read(parent === null, signal);
    this.last = { look, carried };
    return carried;
  }

  private async read(isFirst: boolean, signal: AbortSignal): Promise<Carried> {
    const { sandbox, homesRoot, folder, path, user, spec } = this.options;
    const base = this.before?.base ?? (isFirst ? null : []);
    try {
      const home = await prepareHome(homesRoot, folder, user);
      const box = { workspacePath: folder, home, path, user, files: NO_RULES.files };
      const hasOrigin = originOf(spec).kind !== 'empty';
      const read = await readRepository(sandbox, { box, base, hasOrigin }, signal);
      if (read.kind === 'unreadable') return notStored(read.why);
      if (read.kind === 'none') return { attachment: Buffer.alloc(0), leftOut: [] };
      if (this.before === null || !isSame(this.before, read.repository)) this.before = read.repository;
      return { attachment: packRepository(this.before), leftOut: [] };
    } catch (error) {
      signal.throwIfAborted();
      return notStored(errorText(error));
    }
  }
}

function notStored(why: string): Carried {
  return { leftOut: [{ reason: 'commits', count: 1, paths: [`.git/ (${why})`] }] };
}

async function stored(
  commit: string,
  checkpoints: Checkpoints,
  signal: AbortSignal,
): Promise<CarriedRepository | null> {
  try {
    const bytes = await checkpoints.attachmentOf(commit, signal);
    return bytes && unpackRepository(bytes);
  } catch (error) {
    if (error instanceof ObjectsMissing) return null;
    throw error;
  }
}

/** The pack is made of the same commits then, if not of the same bytes. */
function isSame(a: CarriedRepository, b: CarriedRepository): boolean {
  return JSON.stringify([a.head, a.refs]) === JSON.stringify([b.head, b.refs]);
}
