/** The checkpoints of one workspace: taken, compared, restored and rebuilt. Each method may be called from any process, at any time, again after a crash. */
import { randomUUID } from 'node:crypto';
import { chown, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { diffstat, patch, type Diffstat } from './diff.js';
import type { Coverage } from './files/scan.js';
import { capture, type Captured } from './objects/capture.js';
import { differences, listingOf } from './objects/listing.js';
import { ShadowRepository, type ShadowOptions } from './objects/shadow-repository.js';
import { CheckpointPacks, ObjectsMissing } from './packs/checkpoint-packs.js';
import type { PackStore, StoredPack } from '@bullpen/core';
import { applyPlan, type Applied, type Owner } from './restore/apply.js';
import { endJournal } from './restore/journal.js';
import {
  Restoring,
  type Finished,
  type RestorePreview,
  type RestoreRequest,
  type RestoreResult,
} from './restore/restoring.js';
import { degradedReason, type Degraded, type TakeResult } from './take-result.js';

export interface CheckpointsOptions {
  readonly shadow: ShadowOptions;
  /** The workspace's folder. */
  readonly workspace: string;
  /** Names what its packs may build on: one for all workspaces of a task tree. */
  readonly line: string;
  readonly packs: PackStore;
  readonly coverage: Coverage;
  /** Of files that are made; null: whoever this process is. */
  readonly owner: Owner | null;
  readonly budget?: Budget;
  readonly now?: () => Date;
}

/** What one checkpoint may take; over it, it degrades. */
export interface Budget {
  readonly ms: number;
  /** Of content that is new. */
  readonly bytes: number;
}

export const DEFAULT_BUDGET: Budget = { ms: 60_000, bytes: 2 * 1_024 ** 3 };

export interface TakeRequest {
  /** The last checkpoint of this workspace. */
  readonly parent: string | null;
  readonly note?: string;
  /** What else is to be kept of the workspace, as bytes that only the caller understands; empty: nothing any more. Absent: as it was. */
  readonly attachment?: Buffer | undefined;
}

export class Checkpoints {
  private readonly now: () => Date;

  constructor(private readonly options: CheckpointsOptions) {
    this.now = options.now ?? (() => new Date());
  }

  /** Stores the state as it is now, objects first: a checkpoint that this tells of can be brought to any machine. Throws the pack store's errors. */
  async take(request: TakeRequest, signal: AbortSignal): Promise<TakeResult> {
    const { ms } = this.options.budget ?? DEFAULT_BUDGET;
    const overTime = AbortSignal.timeout(ms);
    const startedAt = performance.now();
    const since = (): number => Math.round(performance.now() - startedAt);
    const within = AbortSignal.any([signal, overTime]);
    try {
      return await this.alone(within, async (shadow) => ({
        ...(await this.takeIn(shadow, request, within)),
        ms: since(),
      }));
    } catch (error) {
      signal.throwIfAborted();
      const reason = degradedReason(error, overTime.aborted);
      if (reason === null) throw error;
      return { kind: 'degraded', reason, message: (error as Error).message, ms: since() };
    }
  }

  /** What differs between two checkpoints, or one and now. Throws `ObjectsMissing`, and as `take` would degrade. */
  async diff(from: string, to: string | 'now', signal: AbortSignal, limit?: number): Promise<Diffstat> {
    return this.alone(signal, async (shadow) => {
      const [a, b] = await this.treesOf(shadow, from, to, signal);
      return diffstat(shadow, a, b, signal, limit);
    });
  }

  /** The lines that differ, in a form for `git apply`; of all files, or of those named. */
  async *patch(
    from: string,
    to: string | 'now',
    signal: AbortSignal,
    paths: readonly string[] = [],
  ): AsyncGenerator<Buffer> {
    const { shadow, trees } = await this.alone(signal, async (opened) => ({
      shadow: opened,
      trees: await this.treesOf(opened, from, to, signal),
    }));
    yield* patch(shadow, ...trees, signal, paths);
  }

  /** What `restore` would do. Nothing is changed or stored. */
  async previewRestore(request: RestoreRequest, signal: AbortSignal): Promise<RestorePreview> {
    return this.alone(signal, async (shadow) => {
      const now = await this.capture(shadow, 'preview', signal);
      return this.restoring(shadow).preview(request, now.commit, signal);
    });
  }

  /**
   * Brings files back to what they were, after taking a checkpoint; see `RestoreRequest` for which. Written down before the first file is touched:
   * after a crash `finishRestore` goes on.
   */
  async restore(request: RestoreRequest, signal: AbortSignal): Promise<RestoreResult | Degraded> {
    const safety = await this.take({ parent: request.parent, note: 'before a restore' }, signal);
    if (safety.kind === 'degraded') return safety;
    await request.onSafety?.(safety);
    return this.alone(signal, async (shadow) => ({
      safety,
      ...(await this.restoring(shadow).restore(request, safety.commit, signal)),
    }));
  }

  /** Finishes a restore that a crash cut off; null when there is none. To be called before a workspace is used again. */
  async finishRestore(signal: AbortSignal): Promise<Finished | null> {
    return this.alone(signal, async (shadow) => this.restoring(shadow).finish(signal));
  }

  /** Leaves a restore that a crash cut off as it is: nobody finishes it any more. */
  async abandonRestore(signal: AbortSignal): Promise<void> {
    await this.alone(signal, endJournal);
  }

  /**
   * Makes a folder with what a checkpoint holds, from packs alone; the folder must not be there. It appears whole or not at all.
   * Throws `ObjectsMissing`.
   */
  async rebuild(commit: string, into: string, signal: AbortSignal): Promise<Applied> {
    return this.alone(signal, async (shadow) => {
      await this.packsOf(shadow).bring(commit, signal);
      const { entries, folderPerm } = await listingOf(shadow, commit);
      const id = randomUUID();
      const temp = `${into}.tmp-${id.slice(0, 12)}`;
      await mkdir(temp, { recursive: true, mode: 0o700 });
      try {
        const plan = {
          id,
          root: temp,
          changes: differences(new Map(), entries),
          keptFolders: new Set<string>(),
          folderPerm,
          owner: this.owner,
          durable: false,
        };
        const applied = await applyPlan(shadow, plan, signal);
        if (this.owner) await chown(temp, this.owner.uid, this.owner.gid);
        await rename(temp, into);
        // What a restore had begun in the folder that was there before is gone with it.
        await endJournal(shadow);
        return applied;
      } finally {
        await rm(temp, { recursive: true, force: true });
      }
    });
  }

  /** What else was kept with a checkpoint; null for nothing. Throws `ObjectsMissing`. */
  async attachmentOf(commit: string, signal: AbortSignal): Promise<Buffer | null> {
    return this.alone(signal, async (shadow) => {
      if ((await shadow.trees(commit)) === null) await this.packsOf(shadow).bring(commit, signal);
      return shadow.attachment(commit);
    });
  }

  /** Makes a checkpoint's objects be on this machine, for whoever works with them. Throws `ObjectsMissing`. */
  async bring(commit: string, signal: AbortSignal): Promise<ShadowRepository> {
    return this.alone(signal, async (shadow) => {
      await this.packsOf(shadow).bring(commit, signal);
      return shadow;
    });
  }

  /**
   * Keeps these checkpoints and no others, in one pack. Those that a restore in progress needs are kept, too. `among`: the packs that there were when it was
   * decided what to keep; what came since stays.
   */
  async compact(
    keep: readonly string[],
    signal: AbortSignal,
    among?: readonly StoredPack[],
  ): Promise<StoredPack | null> {
    return this.alone(signal, async (shadow) => {
      const inUse = await this.restoring(shadow).inUse();
      const kept = new Set([...keep, ...inUse]);
      const stored = await this.packsOf(shadow).compact([...kept], signal, among);
      // Such a restore may also need merged contents, which belong to no checkpoint.
      if (inUse.length === 0) await shadow.tidy(kept);
      return stored;
    });
  }

  private async takeIn(
    shadow: ShadowRepository,
    { parent, note, attachment }: TakeRequest,
    signal: AbortSignal,
  ): Promise<Omit<Exclude<TakeResult, Degraded>, 'ms'> & TakeResult> {
    const before = parent === null ? null : await this.broughtTrees(shadow, parent, signal);
    const { commit, root, files, leftOut, fileCount } = await this.capture(
      shadow,
      `${note ?? 'checkpoint'}\n\nparent: ${parent ?? 'none'}\n`,
      signal,
      attachment,
    );
    const common = { leftOut, ms: 0 };
    const packs = this.packsOf(shadow);
    if (parent !== null && before?.root === root && (await packs.isStored(parent)))
      return { kind: 'unchanged', commit: parent, ...common };
    await shadow.keep([commit]);
    const stat = before === null ? null : await diffstat(shadow, before.files, files, signal);
    const pack = await packs.put(commit, before === null ? null : parent, signal);
    return { kind: 'taken', commit, tree: files, parent, diffstat: stat, files: fileCount, pack, ...common };
  }

  /** Null when the parent is lost: then this checkpoint is whole by itself. */
  private async broughtTrees(shadow: ShadowRepository, parent: string, signal: AbortSignal) {
    const here = await shadow.trees(parent);
    if (here !== null) return here;
    try {
      await this.packsOf(shadow).bring(parent, signal);
      return await shadow.trees(parent);
    } catch (error) {
      if (error instanceof ObjectsMissing) return null;
      throw error;
    }
  }

  private async treesOf(
    shadow: ShadowRepository,
    from: string,
    to: string,
    signal: AbortSignal,
  ): Promise<[string, string]> {
    const packs = this.packsOf(shadow);
    await packs.bring(from, signal);
    if (to !== 'now') await packs.bring(to, signal);
    const a = await shadow.trees(from);
    const b = to === 'now' ? await this.capture(shadow, 'now', signal) : await shadow.trees(to);
    if (a === null || b === null) throw new ObjectsMissing(a === null ? from : to, 'it has no tree');
    return [a.files, b.files];
  }

  private async capture(
    shadow: ShadowRepository,
    message: string,
    signal: AbortSignal,
    attachment?: Buffer,
  ): Promise<Captured> {
    const { workspace, coverage, budget } = this.options;
    const maxBytes = (budget ?? DEFAULT_BUDGET).bytes;
    const folder = path.resolve(workspace);
    const request = { folder, coverage, message, now: this.now(), maxBytes, attachment };
    return capture(shadow, request, signal);
  }

  private restoring(shadow: ShadowRepository): Restoring {
    return new Restoring(shadow, this.packsOf(shadow), path.resolve(this.options.workspace), this.owner);
  }

  private packsOf(shadow: ShadowRepository): CheckpointPacks {
    return new CheckpointPacks(shadow, this.options.packs, this.options.line);
  }

  private get owner(): Owner | null {
    return process.getuid?.() === 0 ? this.options.owner : null;
  }

  private async alone<T>(signal: AbortSignal, use: (shadow: ShadowRepository) => Promise<T>): Promise<T> {
    return ShadowRepository.alone(this.options.shadow, signal, use);
  }
}
