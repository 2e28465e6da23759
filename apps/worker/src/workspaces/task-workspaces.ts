/**
 * Opens the workspaces of tasks on this machine. Which machine has one is said by its row alone; a copy that lies here and is not the row's is never
 * used again. One that is elsewhere, or gone, is made anew from its newest checkpoint.
 */
import { realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type DurableEventBody } from '@bullpen/contracts';
import { ObjectsMissing, withLock, type Budget, type Checkpoints } from '@bullpen/checkpoints';
import { type Lease, type MadeFrom, type PackStore, type TaskRecord, type Workspace } from '@bullpen/core';
import type { PostgresTaskStore, SeenWorkspace, WorkspaceRows } from '@bullpen/store';
import { removeTree, type CommandUser, type WorkspaceManager, workspaceLost } from '@bullpen/workspace';
import { beginning, isInPlace } from '../beginning.js';
import { checkpointsOf } from './checkpoints-of.js';
import type { Copies } from './copies.js';
import { isFolder } from './is-folder.js';
import { OpenWorkspace, type OpenWorkspaceOptions } from './open-workspace.js';
import type { Repositories } from './repositories.js';

export interface TaskWorkspacesOptions {
  readonly manager: WorkspaceManager;
  readonly rows: WorkspaceRows;
  readonly store: Pick<PostgresTaskStore, 'othersInPlace'>;
  readonly copies: Copies;
  readonly repositories: Repositories;
  /** Null: no states are stored. */
  readonly packs: PackStore | null;
  readonly budget?: Budget | undefined;
  /** Folder that holds the workspaces. */
  readonly root: string;
  /** Folder for what checkpoints are made with, out of reach of agents. */
  readonly shadows: string;
  /** Names this installation folder. */
  readonly home: string;
  /** Owner of the files when this process is root. */
  readonly user: CommandUser | null;
  readonly newId: (prefix: 'ckpt') => string;
  /** Whether a task has tools that may change files. */
  readonly mayWrite: (task: TaskRecord) => boolean;
}

type Tell = (event: DurableEventBody) => void;

/** What says where a workspace is. */
export type Placed = Pick<TaskRecord, 'rootId' | 'tenantId' | 'workspace' | 'workspaceId'>;

/** A workspace that nobody opens at present. */
export interface FoundWorkspace {
  readonly seen: SeenWorkspace;
  /** Null: it is not on this machine. */
  readonly folder: string | null;
  readonly inPlace: boolean;
  /** Null where no states are stored. */
  readonly checkpoints: Checkpoints | null;
}

export class TaskWorkspaces {
  constructor(private readonly options: TaskWorkspacesOptions) {}

  /**
   * The task's workspace, here and up to date. `busy`: its files are about to be restored, another run works in it on another machine, or one that may change it while this one may, too. Throws `workspace_lost` when it is gone and
   * cannot be made anew, and what `WorkspaceManager.prepare` throws.
   */
  async open(task: TaskRecord, lease: Lease, signal: AbortSignal, tell: Tell): Promise<Workspace | 'busy'> {
    const { workspaceId } = task;
    // Siblings that share one may come at the same time, in several processes.
    return withLock(join(this.options.shadows, `${workspaceId}.open`), signal, async () => {
      for (let refusals = 0; refusals < 3; refusals += 1) {
        const seen = await this.options.rows.look(workspaceId, task.id);
        if (seen?.restoring === true) return 'busy';
        const opened =
          seen === null
            ? await this.begin(task, lease, signal, tell)
            : await this.goOn(task, lease, seen, signal);
        if (opened === 'again') continue;
        return opened === 'busy' || (await this.isLet(task, opened)) ? opened : 'busy';
      }
      throw new AppError('lease_lost', `The lease of ${task.id} (epoch ${lease.epoch}) is lost; stopping`);
    });
  }

  /** Finds a workspace for what is no run, and keeps runs on this machine from opening it meanwhile. Throws what `WorkspaceManager.prepare` throws. */
  async alone<T>(
    of: Placed & { readonly taskId: string },
    signal: AbortSignal,
    use: (found: FoundWorkspace) => Promise<T>,
  ): Promise<T> {
    return withLock(join(this.options.shadows, `${of.workspaceId}.open`), signal, async () => {
      const seen = await this.options.rows.look(of.workspaceId, of.taskId);
      if (seen === null)
        throw new AppError('internal_error', `There is no row of the workspace ${of.workspaceId}`);
      const inPlace = worksInPlace(of);
      const folder = inPlace || (await this.isHere(of, seen)) ? await this.pathOf(of, signal) : null;
      return use({ seen, folder, inPlace, checkpoints: this.checkpointsOf(of, folder ?? this.folderOf(of)) });
    });
  }

  /** Subtasks that share a workspace change it one after the other. Whoever finds it not set up does that, and all others wait. */
  private async isLet(task: TaskRecord, { epoch, setup }: Workspace): Promise<boolean> {
    const { id, workspaceId } = task;
    if (task.workspace.setup !== undefined && setup === null)
      return this.options.rows.letSetUp(id, workspaceId, epoch);
    if (id === workspaceId || !this.options.mayWrite(task)) return true;
    return this.options.rows.letWrite(id, workspaceId);
  }

  /** Nobody has opened it before, but for tasks that began under an older version. */
  private async begin(
    task: TaskRecord,
    lease: Lease,
    signal: AbortSignal,
    tell: Tell,
  ): Promise<Workspace | 'again'> {
    const { manager, store, rows, copies, home } = this.options;
    const { rootId, tenantId, workspace: spec, workspaceId } = task;
    // A fork is born with the row of its workspace.
    if (spec.kind === 'fork') throw workspaceLost(this.folderOf(task), 'the database does not know it');
    // A subtask works where its parent does.
    const begun = task.workspacePath !== null || task.parentId !== null;
    const made = await manager.prepare(rootId, spec, signal, { tenantId, begun });
    const others = begun || !isInPlace(spec) ? [] : await store.othersInPlace(task, made.path);
    const epoch = await rows.take(lease, { workspaceId, home, seen: null, rebuiltFrom: null });
    if (epoch === null) return 'again';
    await copies.set(workspaceId, epoch);
    for (const event of beginning(spec, made, begun, others)) tell(event);
    const untouched = { madeFrom: null, setup: null, borrowed: null, unsaved: false };
    return this.opened(task, made.path, { epoch, ...untouched });
  }

  private async goOn(
    task: TaskRecord,
    lease: Lease,
    seen: SeenWorkspace,
    signal: AbortSignal,
  ): Promise<Workspace | 'again' | 'busy'> {
    const { rows, copies, home } = this.options;
    const { workspaceId } = task;
    const { unsaved } = seen;
    const borrowed = seen.newest?.rootId === task.rootId ? null : seen.newest;
    if (await this.isHere(task, seen)) {
      if (!(await rows.reopen(task.id, workspaceId, home, seen.epoch))) return 'again';
      const madeFrom = await this.stateOf(seen.rebuiltFrom);
      const setup = seen.setup && { ...seen.setup, workspaceId, epoch: seen.epoch };
      const path = await this.pathOf(task, signal);
      return this.opened(task, path, { epoch: seen.epoch, madeFrom, setup, borrowed, unsaved });
    }
    if (seen.busy && seen.home !== home) return 'busy';
    const rebuiltFrom = worksInPlace(task) ? null : (seen.newest?.id ?? null);
    // A first copy may have all that the setup has made where it comes from.
    const inherited = seen.epoch === 0 ? seen.setup : null;
    const epoch = await rows.take(lease, { workspaceId, home, seen, rebuiltFrom, setup: inherited });
    if (epoch === null) return 'again';
    await copies.forget(workspaceId);
    const path = await this.rebuild(task, seen, signal);
    await copies.set(workspaceId, epoch);
    const madeFrom = await this.stateOf(rebuiltFrom);
    const setup = inherited && { ...inherited, workspaceId, epoch };
    return this.opened(task, path, { epoch, madeFrom, setup, borrowed, unsaved });
  }

  private async isHere(task: Placed, { home, epoch }: SeenWorkspace): Promise<boolean> {
    if (home !== this.options.home) return false;
    if (worksInPlace(task)) return true;
    return (
      (await this.options.copies.epochOf(task.workspaceId)) === epoch && (await isFolder(this.folderOf(task)))
    );
  }

  /** What lies here is out of date, and what is stored takes its place. */
  private async rebuild(task: TaskRecord, seen: SeenWorkspace, signal: AbortSignal): Promise<string> {
    const { manager } = this.options;
    const { rootId, tenantId, workspace: spec } = task;
    if (worksInPlace(task)) return this.pathOf(task, signal);
    const folder = this.folderOf(task);
    if (seen.newest === null) {
      if (hasOwn(task) || spec.kind === 'fork')
        throw workspaceLost(folder, 'the state that it begins from is no longer stored');
      if (seen.unsaved) throw workspaceLost(folder, 'no state of it could be stored before it was changed');
      // Nothing was ever changed in it: it is what it was at the beginning.
      await removeTree(folder);
      return (await manager.prepare(rootId, spec, signal, { tenantId })).path;
    }
    const checkpoints = this.checkpointsOf({ ...task, rootId: seen.newest.rootId }, folder);
    if (checkpoints === null) throw workspaceLost(folder, 'this worker keeps no checkpoints');
    await removeTree(folder);
    const { commit } = seen.newest;
    let repository: string | null;
    try {
      repository = await this.options.repositories.make(task, folder, { commit, checkpoints }, signal);
      await checkpoints.rebuild(commit, folder, signal);
    } catch (error) {
      if (error instanceof ObjectsMissing) throw workspaceLost(folder, error.message, error);
      throw error;
    }
    if (repository !== null) await rename(repository, join(folder, '.git'));
    return this.pathOf(task, signal);
  }

  private opened(
    task: TaskRecord,
    path: string,
    copy: Pick<OpenWorkspaceOptions, 'epoch' | 'madeFrom' | 'setup' | 'borrowed' | 'unsaved'>,
  ): OpenWorkspace {
    const { rows, newId } = this.options;
    const checkpoints = this.checkpointsOf(task, path);
    // A folder that belongs to somebody keeps its own repository.
    const inPlace = worksInPlace(task);
    const repository = inPlace ? null : this.options.repositories.watch(task.workspace, path);
    const place = { id: task.workspaceId, isOwn: hasOwn(task), path, inPlace };
    return new OpenWorkspace({ ...copy, ...place, checkpoints, repository, rows, newId });
  }

  /** Null where no states are stored. */
  checkpointsOf(
    { workspaceId, rootId }: Pick<TaskRecord, 'rootId' | 'workspaceId'>,
    folder: string,
  ): Checkpoints | null {
    const { packs } = this.options;
    if (packs === null) return null;
    return checkpointsOf({ ...this.options, packs }, { id: workspaceId, rootId }, folder);
  }

  shadowOf({ workspaceId }: Pick<TaskRecord, 'workspaceId'>): string {
    return join(this.options.shadows, workspaceId);
  }

  private async stateOf(checkpointId: string | null): Promise<MadeFrom | null> {
    return checkpointId === null ? null : this.options.rows.stateOf(checkpointId);
  }

  /** The real path, as `prepare` gives it. */
  private async pathOf(task: Placed, signal: AbortSignal): Promise<string> {
    const { rootId, tenantId, workspace: spec } = task;
    if (hasOwn(task) || spec.kind === 'fork') return realpath(this.folderOf(task));
    return (await this.options.manager.prepare(rootId, spec, signal, { tenantId, begun: true })).path;
  }

  private folderOf({ workspaceId }: Placed): string {
    return join(this.options.root, workspaceId);
  }
}

/** A subtask's own, or that of one above it: a folder of ours, whatever the tree works in. */
function hasOwn({ rootId, workspaceId }: Placed): boolean {
  return workspaceId !== rootId;
}

function worksInPlace(task: Placed): boolean {
  return isInPlace(task.workspace) && !hasOwn(task);
}
