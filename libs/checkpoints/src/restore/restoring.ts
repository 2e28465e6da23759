/** Restores a workspace within a store that is held alone: plans, writes the plan down, carries it out. */
import { randomUUID } from 'node:crypto';
import { bytePath, parentOf, shownPath, type BytePath } from '../files/byte-path.js';
import { listingOf, type Difference, type Entry } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { mergeTextsIn } from '../merge/merge-texts.js';
import type { CheckpointPacks } from '../packs/checkpoint-packs.js';
import type { Taken, Unchanged } from '../take-result.js';
import { applyPlan, type Applied, type Owner } from './apply.js';
import { endJournal, readJournal, writeJournal } from './journal.js';
import { ignoredIn } from './target-rules.js';
import { withUncoveredLogs } from './database-logs.js';
import { planRestore, type RestorePlan } from './plan-restore.js';

export interface RestoreRequest {
  readonly target: string;
  /** The last checkpoint of this workspace. */
  readonly parent: string | null;
  /**
   * The task's steps since the target, oldest first, each as the checkpoints before and after it: only what they did goes back. `everything`: all
   * that differs from the target goes back, whoever changed it.
   */
  readonly steps: readonly StepCommits[] | 'everything';
  /** What the target left out, by name: that it lacks such a path does not mean that nothing was there. Folders end with `/`. */
  readonly uncovered?: readonly string[];
  /** Called with the checkpoint that was taken first, before any file is touched. */
  readonly onSafety?: (safety: Taken | Unchanged) => Promise<void>;
}

export interface StepCommits {
  readonly before: string;
  readonly after: string;
}

export interface RestoredPath {
  readonly path: string;
  readonly action: 'create' | 'write' | 'remove' | 'mode';
}

export interface RestorePreview {
  readonly changes: readonly RestoredPath[];
  /** The task changed them, and somebody else did since: they stay. */
  readonly conflicts: readonly string[];
  /** What else differs from the target, as it would have to be changed; it stays. */
  readonly notOurs: readonly RestoredPath[];
}

export interface RestoreResult extends RestorePreview {
  readonly safety: Taken | Unchanged;
  readonly applied: Applied;
}

export interface Finished {
  readonly target: string;
  readonly safety: string;
  readonly applied: Applied;
}

export class Restoring {
  constructor(
    private readonly shadow: ShadowRepository,
    private readonly packs: CheckpointPacks,
    private readonly root: string,
    private readonly owner: Owner | null,
  ) {}

  async preview(request: RestoreRequest, now: string, signal: AbortSignal): Promise<RestorePreview> {
    return toPreview(await this.plan(request, now, signal));
  }

  async restore(
    request: RestoreRequest,
    safety: string,
    signal: AbortSignal,
  ): Promise<Omit<RestoreResult, 'safety'>> {
    const restore = await this.plan(request, safety, signal);
    const { changes, keptFolders, folderPerm } = restore;
    const plan = {
      id: randomUUID(),
      root: this.root,
      changes,
      keptFolders,
      folderPerm,
      owner: this.owner,
      durable: true,
    };
    await writeJournal(this.shadow, { plan, target: request.target, safety });
    const applied = await applyPlan(this.shadow, plan, signal);
    await endJournal(this.shadow);
    return { ...toPreview(restore), applied };
  }

  /** Null when no restore was cut off, or when its workspace is another folder than this one. */
  async finish(signal: AbortSignal): Promise<Finished | null> {
    const journalled = await readJournal(this.shadow);
    if (journalled === null || journalled.plan.root !== this.root) return null;
    const { plan, target, safety } = journalled;
    await this.packs.bring(target, signal);
    const applied = await applyPlan(this.shadow, plan, signal);
    await endJournal(this.shadow);
    return { target, safety, applied };
  }

  /** What a restore that was cut off still needs. */
  async inUse(): Promise<readonly string[]> {
    const journalled = await readJournal(this.shadow);
    return journalled === null ? [] : [journalled.target, journalled.safety];
  }

  private async plan(request: RestoreRequest, now: string, signal: AbortSignal): Promise<RestorePlan> {
    const { target, steps, uncovered = [] } = request;
    const commits =
      steps === 'everything' ? [target] : [target, ...steps.flatMap((step) => [step.before, step.after])];
    for (const commit of new Set(commits)) await this.packs.bring(commit, signal);
    const listing = (commit: string) => listingOf(this.shadow, commit);
    const own =
      steps === 'everything'
        ? null
        : await Promise.all(
            steps.map(async ({ before, after }) => ({
              before: await listing(before),
              after: await listing(after),
            })),
          );
    const [from, to] = [await listing(now), await listing(target)];
    const isIgnoredNow = await ignoredIn(this.shadow, from.entries);
    const isIgnoredThere = await ignoredIn(this.shadow, to.entries);
    const wasLeftOut = namedBy(uncovered);
    const spared = (path: BytePath) => wasLeftOut(path) || (isIgnoredThere(path) && !isIgnoredNow(path));
    const merge = mergeTextsIn(this.shadow);
    const merged = async (sides: Parameters<typeof merge>[0]) => {
      const result = await merge(sides);
      return result?.isClean ? result.blob : null;
    };
    const heldBack = (paths: Iterable<BytePath>) => withUncoveredLogs(this.root, from.entries, paths);
    return planRestore(from, to, own, merged, spared, heldBack);
  }
}

function namedBy(uncovered: readonly string[]): (path: BytePath) => boolean {
  const names = new Set(uncovered.map((name) => bytePath(name.replace(/\/$/, ''))));
  if (names.size === 0) return () => false;
  return (path) => {
    for (let above = path; above !== ''; above = parentOf(above)) if (names.has(above)) return true;
    return false;
  };
}

function toPreview({ changes, conflicts, notOurs }: RestorePlan): RestorePreview {
  return {
    changes: changes.map(({ path, before, after }) => restored(path, before, after)),
    conflicts: conflicts.map(shownPath),
    notOurs: notOurs.map(({ path, before, after }) => restored(path, after, before)),
  };
}

function restored(path: Difference['path'], now: Entry | null, wanted: Entry | null): RestoredPath {
  return { path: shownPath(path), action: actionOf(now, wanted) };
}

function actionOf(now: Entry | null, wanted: Entry | null): RestoredPath['action'] {
  if (wanted === null) return 'remove';
  if (now === null) return 'create';
  return now.kind === wanted.kind && now.blob === wanted.blob ? 'mode' : 'write';
}
