/** How much the workspaces on this machine take: only a worker sees the disk, so it writes that down for whoever asks. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeating, type Logger } from '@bullpen/platform';
import type { WorkspaceHouse } from '@bullpen/store';
import { diskUse } from '@bullpen/workspace';

export interface SizesOptions {
  readonly house: WorkspaceHouse;
  /** Folder that holds the workspaces. */
  readonly root: string;
  /** Folder that holds the home folders of commands. */
  readonly homesRoot: string;
  /** Folder for what checkpoints are made with. */
  readonly shadows: string;
  /** Names this installation folder. */
  readonly home: string;
  /** Where programs are found. */
  readonly path: string;
  readonly logger: Logger;
}

const EVERY_MS = 60_000;

export class Sizes {
  private readonly due = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly repeating: Repeating;

  constructor(private readonly options: SizesOptions) {
    this.repeating = new Repeating({
      ...{ name: 'measuring workspaces', everyMs: EVERY_MS, lateMs: 10 * EVERY_MS },
      run: () => this.measure(this.stopping.signal),
      logger: options.logger,
    });
  }

  /** A run begins to work in it. */
  used(workspaceId: string): void {
    this.due.add(workspaceId);
  }

  start(): void {
    const { house, home, logger } = this.options;
    house.unmeasured(home).then(
      (ids) => ids.forEach((id) => this.due.add(id)),
      (err: unknown) => logger.warn({ err }, 'workspaces whose size is unknown could not be listed'),
    );
    this.repeating.start();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.repeating.stop();
  }

  /** One after the other; while runs work in one, only from time to time, and once more when they have ended. */
  async measure(signal: AbortSignal): Promise<void> {
    const { house, home } = this.options;
    for (const id of [...this.due]) {
      if (signal.aborted) return;
      const row = await house.measurable(id, home);
      if (row?.isBusy !== true) this.due.delete(id);
      if (row === null || (row.isBusy && row.isFresh)) continue;
      const bytes = await this.bytesOf(id, signal);
      if (bytes !== null) await house.measured(row, bytes);
    }
  }

  private async bytesOf(id: string, signal: AbortSignal): Promise<number | null> {
    const { root, shadows, homesRoot, path } = this.options;
    const folder = await realpath(join(root, id)).catch(() => null);
    if (folder === null) return null;
    return diskUse(folder, { homesRoot, path, others: [join(shadows, id)] }, signal).catch(
      (error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      },
    );
  }
}
