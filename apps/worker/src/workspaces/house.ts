/**
 * Keeps this machine's folders of workspaces in order: removes copies that are out of date, and those of trees that ended some time ago, if the
 * files are stored as they are. The row is told first: after a crash what is left is a copy that is out of date. What no row tells of
 * stays, as it may be another database's; but what checkpoints are made with can always be made again.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '@bullpen/checkpoints';
import type { Logger } from '@bullpen/platform';
import type { HousedWorkspace, WorkspaceHouse } from '@bullpen/store';
import { removeTree, removeWorkspace } from '@bullpen/workspace';
import { checkpointsOf, type CheckpointPlace } from './checkpoints-of.js';
import type { Copies } from './copies.js';
import { Sizes } from './sizes.js';

export interface HouseOptions extends Omit<CheckpointPlace, 'packs'> {
  readonly house: WorkspaceHouse;
  readonly copies: Copies;
  /** Null: no states are stored, and no workspace of an ended tree is removed. */
  readonly packs: CheckpointPlace['packs'] | null;
  /** Folder that holds the workspaces. */
  readonly root: string;
  /** Folder that holds the home folders of commands. */
  readonly homesRoot: string;
  /** Names this installation folder. */
  readonly home: string;
  /** Null: those of ended trees are kept. */
  readonly keepHours: number | null;
  /** Where programs are found. */
  readonly path: string;
  readonly logger: Logger;
}

/** What a run removed. */
export interface Tidied {
  readonly ended: number;
  readonly stale: number;
  readonly shadows: number;
}

type Removed = keyof Tidied;

const EVERY_MS = 3_600_000;
const ID = /^task_[A-Za-z0-9_-]{1,100}$/;
/** What a rebuild that died has left. */
const HALF = /^(task_[A-Za-z0-9_-]{1,100})\.tmp-(git|[\da-f-]{12})$/;
/** A store without a row may be one whose row is being written. */
const NEW_MS = 3_600_000;

export class House {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();
  private readonly stopping = new AbortController();
  readonly sizes: Sizes;

  constructor(private readonly options: HouseOptions) {
    this.sizes = new Sizes(options);
  }

  start(): void {
    const run = (): void => {
      this.running = this.tidy(this.stopping.signal).catch((err: unknown) => {
        if (!this.stopping.signal.aborted)
          this.options.logger.warn({ err }, 'old workspaces were not all removed');
      });
    };
    this.timer = setInterval(run, EVERY_MS);
    run();
    this.sizes.start();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all([this.running, this.sizes.stop()]);
  }

  /** One look at every folder. Workers of one machine take turns. */
  async tidy(signal: AbortSignal): Promise<Tidied> {
    const { root, shadows, logger } = this.options;
    const count = { ended: 0, stale: 0, shadows: 0 };
    await withLock(join(shadows, 'house'), signal, async () => {
      const names = [...(await namesIn(root)), ...(await namesIn(shadows))];
      for (const id of new Set(
        names.flatMap((name) => HALF.exec(name)?.[1] ?? (ID.test(name) ? [name] : [])),
      )) {
        signal.throwIfAborted();
        const removed = await this.tidyOne(id, signal).catch((err: unknown) => {
          signal.throwIfAborted();
          logger.warn({ err, workspaceId: id }, 'a workspace could not be looked after');
          return null;
        });
        if (removed !== null) count[removed] += 1;
      }
    });
    if (count.ended + count.stale + count.shadows > 0) logger.info(count, 'old workspaces were removed');
    return count;
  }

  /** Removes what subtasks had for themselves once nobody works there and it is stored. What a crash leaves, the next look finds. */
  async tidySubtasks(signal: AbortSignal): Promise<void> {
    const { house, shadows, home } = this.options;
    for (const id of await house.idle(home))
      await withLock(join(shadows, `${id}.open`), signal, async () => {
        const row = await house.look(id, null);
        // Another one may have been here first.
        if (row === null || row.home !== home) return;
        if ((await this.isStored(row, signal)) && (await house.leave(row))) await this.remove(id);
      });
  }

  /** Nobody opens or rebuilds it here meanwhile. */
  private async tidyOne(id: string, signal: AbortSignal): Promise<Removed | null> {
    const { house, shadows, home, copies, keepHours } = this.options;
    return withLock(join(shadows, `${id}.open`), signal, async () => {
      const row = await house.look(id, keepHours);
      if (row === null) return (await this.removeLoneShadow(id)) ? 'shadows' : null;
      await this.removeHalves(id);
      if (row.inPlace) return null;
      const isHere = row.home === home && (await copies.epochOf(id)) === row.epoch;
      // What no checkpoint holds may be nowhere else.
      if (!isHere) return row.stored !== null && (await this.remove(id)) ? 'stale' : null;
      if (!row.isOver || !(await this.isStored(row, signal)) || !(await house.release(row))) return null;
      return (await this.remove(id)) ? 'ended' : null;
    });
  }

  /** Whether the files are what the newest checkpoint holds: the end of a run may have cut off what would have stored them. */
  private async isStored(row: HousedWorkspace, signal: AbortSignal): Promise<boolean> {
    const { packs, root } = this.options;
    if (row.stored === null || packs === null) return false;
    const checkpoints = checkpointsOf({ ...this.options, packs }, row, join(root, row.id));
    const { files } = await checkpoints.diff(row.stored, 'now', signal, 0);
    return files === 0;
  }

  private async remove(id: string): Promise<boolean> {
    const { copies, root, homesRoot, shadows } = this.options;
    await copies.forget(id);
    const wasThere = await removeWorkspace(join(root, id), homesRoot);
    await removeTree(join(shadows, id));
    return wasThere;
  }

  private async removeLoneShadow(id: string): Promise<boolean> {
    const shadow = join(this.options.shadows, id);
    const found = await stat(shadow).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < NEW_MS) return false;
    await withLock(shadow, this.stopping.signal, () => rm(shadow, { recursive: true, force: true }));
    return true;
  }

  private async removeHalves(id: string): Promise<void> {
    const { root } = this.options;
    const halves = (await namesIn(root)).filter((name) => HALF.exec(name)?.[1] === id);
    for (const name of halves) await removeTree(join(root, name));
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
