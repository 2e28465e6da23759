/**
 * Carries out the restores that people ask for, wherever the files are: on this machine, or only in what is stored. Each step can be repeated: what is to
 * be undone is recorded before the first file is touched, and a half-done restore is finished from its journal.
 */
import {
  ObjectsMissing,
  type Checkpoints,
  type Diffstat,
  type Taken,
  type TakeResult,
  type Unchanged,
} from '@bullpen/checkpoints';
import { AppError, type LeftOutOfCheckpoint, type RestoredFiles } from '@bullpen/contracts';
import type { Masker, NewCheckpoint } from '@bullpen/core';
import { Repeating, type Logger } from '@bullpen/platform';
import type { DueRestore, DueRestores, RestoreEnd, WorkspaceRows } from '@bullpen/store';
import type { Copies } from './copies.js';
import { listed, listedLeftOut } from './row-content.js';
import { doneFiles, filesOf, previewedFiles } from './restored-files.js';
import type { FoundWorkspace, TaskWorkspaces } from './task-workspaces.js';

export interface WorkspaceRestoresOptions {
  readonly workspaces: TaskWorkspaces;
  readonly rows: WorkspaceRows;
  readonly due: DueRestores;
  readonly copies: Copies;
  /** Names this installation folder. */
  readonly home: string;
  readonly masker: Masker;
  readonly logger: Logger;
  readonly newId: (prefix: 'ckpt') => string;
}

/** How soon a request is found when the message about it was lost, in ms. */
const LOOK_MS = 2_000;
/** After so many tries that broke off it is given up. */
const MOST_TRIES = 5;

/** It cannot be done, however often it is tried. */
class Impossible extends Error {}

type Found = FoundWorkspace & { readonly checkpoints: Checkpoints };
/** What a row says of a state. */
interface Content extends Pick<NewCheckpoint, 'commit' | 'files' | 'bytes'> {
  readonly diffstat: Diffstat | null;
  readonly leftOut: readonly (Omit<LeftOutOfCheckpoint, 'paths'> & { readonly paths: readonly string[] })[];
}
type Stored = { readonly id: string; readonly commit: string };

/** Carries out what is due, one restore after the other, until it is stopped. */
export class WorkspaceRestores {
  private readonly looking: Repeating;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private again = false;

  constructor(private readonly options: WorkspaceRestoresOptions) {
    const { logger } = options;
    this.looking = new Repeating({
      name: 'looking for restores',
      everyMs: LOOK_MS,
      lateMs: 600_000,
      run: () => this.look(),
      logger,
    });
  }

  start(): void {
    this.looking.start();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking.stop();
    await this.running;
  }

  /** Somebody has asked for one. */
  lookNow(): void {
    this.look().catch((err: unknown) =>
      this.options.logger.warn({ err }, 'restores could not be looked for'),
    );
  }

  /** Carries out what there is, one after the other. */
  look(): Promise<void> {
    this.again = true;
    this.running ??= this.all().finally(() => (this.running = null));
    return this.running;
  }

  private async all(): Promise<void> {
    const { due, home } = this.options;
    while (this.again && !this.stopping.signal.aborted) {
      this.again = false;
      for (const one of await due.list(home)) await this.attempt(one);
    }
  }

  /** What breaks off is tried again at the next look. */
  private async attempt(one: DueRestore): Promise<void> {
    const { workspaces, due, logger, masker } = this.options;
    const { signal } = this.stopping;
    try {
      await workspaces.alone(one, signal, (found) => this.carryOut(one, found));
    } catch (err) {
      if (signal.aborted) return;
      const restore = { restoreId: one.id, taskId: one.taskId };
      logger.warn({ err, ...restore }, 'a restore broke off');
      if (!isFinal(err)) return;
      await due.fail(one.id, masker.mask(err.message));
    }
  }

  private async carryOut(one: DueRestore, { checkpoints, ...where }: FoundWorkspace): Promise<void> {
    const { due } = this.options;
    // Another process may have done it since the look.
    const begun = await due.begin(one.id);
    if (begun === null) return;
    if (checkpoints === null) throw new Impossible('This worker keeps no checkpoints.');
    const found = { ...where, checkpoints };
    if (one.dryRun) return due.looked(one.id, this.masked(await this.preview(one, found)));
    if (begun.tries > MOST_TRIES) {
      await checkpoints.abandonRestore(this.stopping.signal);
      throw new Impossible(`It broke off ${MOST_TRIES} times; the log of the workers says why.`);
    }
    const current = { ...one, beforeId: begun.beforeId };
    const end = await (found.folder === null ? this.inStore(current, found) : this.onDisk(current, found));
    await this.finish(one, this.masked(end));
  }

  private async preview(one: DueRestore, found: Found): Promise<RestoredFiles> {
    const { signal } = this.stopping;
    const { checkpoints, seen, folder } = found;
    if (folder === null)
      return filesOf(await checkpoints.diff(newestOf(seen).commit, one.target.commit, signal));
    return previewedFiles(await checkpoints.previewRestore(await this.requestFor(one, found, null), signal));
  }

  /** No machine has the files: from now on, what is stored says that they are the restored ones, and whoever goes on makes those. */
  private async inStore(one: DueRestore, { checkpoints, seen }: Found): Promise<RestoreEnd> {
    const { commit, files, leftOut } = one.target;
    const newest = newestOf(seen);
    const diffstat = await checkpoints.diff(newest.commit, commit, this.stopping.signal);
    const after =
      diffstat.files === 0
        ? null
        : await this.row(one, checkpoints, 'restore', newest.id, {
            commit,
            files,
            leftOut,
            diffstat,
            bytes: 0,
          });
    return {
      ...{ epoch: seen.epoch, home: after === null ? seen.home : null },
      ...{ beforeId: newest.id, after, unsaved: false, files: filesOf(diffstat) },
    };
  }

  private async onDisk(one: DueRestore, found: Found): Promise<RestoreEnd> {
    const { rows, home } = this.options;
    const { signal } = this.stopping;
    const { checkpoints, seen, inPlace } = found;
    await checkpoints.finishRestore(signal);
    const newest = await rows.newest(one.workspaceId);
    let before = one.beforeId === null ? null : newest;
    const onSafety = async (safety: Taken | Unchanged): Promise<void> => {
      before ??= await this.recordBefore(one, checkpoints, safety, newest);
    };
    const result = await checkpoints.restore(
      { ...(await this.requestFor(one, found, newest)), onSafety },
      signal,
    );
    if ('kind' in result) throw new Impossible(`The state before it could not be stored: ${result.message}`);
    const undo = before as Stored | null;
    const taken = await checkpoints.take({ parent: undo?.commit ?? null }, signal);
    const after = await this.afterOf(one, checkpoints, undo, taken, inPlace);
    return {
      ...{ epoch: seen.epoch, home, beforeId: undo?.id ?? null, after },
      unsaved: taken.kind === 'degraded' && after === null,
      files: doneFiles(result, after?.diffstat ?? null),
    };
  }

  private async requestFor(
    { workspaceId, target }: DueRestore,
    { inPlace, seen }: Found,
    newest: Stored | null,
  ) {
    const { due } = this.options;
    return {
      ...{ target: target.commit, parent: (newest ?? seen.newest)?.commit ?? null },
      // In a folder of the user's own, others change files, too.
      steps: inPlace ? await due.stepsSince(workspaceId, target.id) : ('everything' as const),
      uncovered: target.leftOut.flatMap(({ reason, paths }) => (IS_COVERED.has(reason) ? [] : paths)),
    };
  }

  /** The state before, as something to go back to. */
  private async recordBefore(
    one: DueRestore,
    checkpoints: Checkpoints,
    safety: Taken | Unchanged,
    newest: Stored | null,
  ): Promise<Stored> {
    const { due } = this.options;
    if (safety.kind === 'unchanged' && newest !== null) {
      await due.recordBefore(one.id, newest.id);
      return newest;
    }
    const taken = safety as Taken;
    const row = await this.row(one, checkpoints, 'before_restore', newest?.id ?? null, {
      ...taken,
      bytes: taken.pack.bytes,
    });
    await due.recordBefore(one.id, this.masked(row));
    return { id: row.id, commit: row.commit };
  }

  /** Null: nothing was changed, or what there is now has no name in the store. */
  private async afterOf(
    one: DueRestore,
    checkpoints: Checkpoints,
    before: Stored | null,
    taken: TakeResult,
    inPlace: boolean,
  ): Promise<RestoreEnd['after']> {
    const parent = before?.id ?? null;
    if (taken.kind === 'unchanged') return null;
    if (taken.kind === 'taken')
      return this.row(one, checkpoints, 'restore', parent, { ...taken, bytes: taken.pack.bytes });
    if (inPlace) return null;
    // There may be no room for one more checkpoint; the target is stored.
    const { commit, files, leftOut } = one.target;
    const diffstat = before && (await checkpoints.diff(before.commit, commit, this.stopping.signal));
    return this.row(one, checkpoints, 'restore', parent, { commit, files, leftOut, diffstat, bytes: 0 });
  }

  private async row(
    { workspaceId, target }: DueRestore,
    checkpoints: Checkpoints,
    reason: 'before_restore' | 'restore',
    parentId: string | null,
    { commit, files, bytes, diffstat, leftOut }: Content,
  ): Promise<Omit<NewCheckpoint, 'turn'>> {
    const base = await this.options.rows.baseOf(workspaceId);
    const changes = base && (await checkpoints.diff(base.commit, commit, this.stopping.signal));
    return {
      ...{ id: this.options.newId('ckpt'), workspaceId, parentId, reason, commit, files, bytes },
      note: reason === 'restore' ? `back to ${target.id}` : null,
      ...{ diffstat: diffstat && listed(diffstat), changes: changes && listed(changes) },
      leftOut: listedLeftOut(leftOut),
    };
  }

  /**
   * A crash between the row and the number beside the folder leaves a copy that counts as out of date: it is made anew from the restored state when
   * somebody opens it.
   */
  private async finish(one: DueRestore, end: RestoreEnd): Promise<void> {
    const { due, copies, logger } = this.options;
    const epoch = await due.finish(one.id, end);
    if (typeof epoch !== 'number') return;
    if (end.home !== null) await copies.set(one.workspaceId, epoch);
    logger.info(
      { restoreId: one.id, taskId: one.taskId, files: end.files.changes.count },
      'files were restored',
    );
  }

  private masked<T>(value: T): T {
    return this.options.masker.maskJson(value);
  }
}

/** What these name was stored, at least in part. */
const IS_COVERED = new Set(['repository', 'changing', 'commits']);

function newestOf({ newest }: FoundWorkspace['seen']): Stored {
  if (newest === null) throw new Impossible('No state of these files is stored.');
  return newest;
}

function isFinal(error: unknown): error is Error {
  return (
    error instanceof Impossible ||
    error instanceof ObjectsMissing ||
    (error instanceof AppError && error.code === 'invalid_workspace')
  );
}
