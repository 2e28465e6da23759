/**
 * Brings what was changed between two checkpoints to a folder that may have moved on: the way back from a task to its user's folder, and from a
 * child to its parent. Nothing of the folder's own repository takes part or is touched: not its index, not its branches, not its settings.
 */
import { lstatSync } from 'node:fs';
import { nameOf, parentOf, shownPath, type BytePath } from '../files/byte-path.js';
import { HeldFolders } from '../files/held-folder.js';
import { isGone } from '../files/scan.js';
import { listingOf, type Difference, type Listed } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { applyPlan, type Left, type Owner } from '../restore/apply.js';
import { mergeTextsIn } from './merge-texts.js';
import type { Conflict, Outcome } from './outcome.js';
import { foldersOf, planMerge, type MergePlan } from './plan-merge.js';
import { FolderSide } from './sides.js';

/** Two checkpoints of the store. */
export interface Incoming {
  readonly base: string;
  readonly theirs: string;
  /** Which paths; all of them without it. */
  readonly only?: (path: BytePath) => boolean;
  /** The folder is known to come from the same files, even if none of them is left. */
  readonly isRelated?: boolean;
}

/** Where changes are brought to. */
export interface MergeTarget {
  /** Absolute path of the folder. */
  readonly root: string;
  /** Of what is made; null: whoever this process is. */
  readonly owner: Owner | null;
}

/** The folder is gone, or holds something that has nothing to do with the changes. */
export class UnrelatedFolder extends Error {
  override readonly name = 'UnrelatedFolder';
}

/** What `mergeInto` would do. Nothing but the store is written to. To be called while the store is held alone; throws as `mergeInto`. */
export async function previewMerge(
  shadow: ShadowRepository,
  incoming: Incoming,
  root: string,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  return (await planFor(shadow, incoming, root, signal)).plan.outcomes;
}

/**
 * Takes the changes, each file whole or not at all; conflicts stay as they are here. Doing it again after a crash does the rest, and after that
 * finds all there. To be called while the store is held alone. Throws `UnrelatedFolder`, and what no single path is to blame for, like a full disk.
 */
export async function mergeInto(
  shadow: ShadowRepository,
  incoming: Incoming,
  target: MergeTarget,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const { plan, theirs } = await planFor(shadow, incoming, target.root, signal);
  const carryOut = async (changes: readonly Difference[]): Promise<readonly Left[]> => {
    const { folderPerm } = theirs;
    // The same for each try, so that the next one takes away what the last one has half written.
    const id = `${incoming.base.slice(0, 12)}-${incoming.theirs.slice(0, 12)}`;
    const work = { ...target, id, changes, folderPerm, keptFolders: foldersOf(theirs), durable: true };
    return (await applyPlan(shadow, work, signal)).left;
  };
  const left = await carryOut(plan.changes);
  const failed = new Map(left.map(({ path, why }) => [path, why]));
  // The old name of a file goes only when the new one is there.
  const renamed = plan.outcomes.filter(
    (each) => each.kind !== 'there' && each.kind !== 'conflict' && !failed.has(shownPath(each.path)),
  );
  const done = new Set(renamed.map((each) => ('from' in each ? each.from : null)));
  for (const { path, why } of await carryOut(plan.lastly.filter(({ path }) => done.has(path))))
    failed.set(path, why);
  return plan.outcomes.map((outcome) => afterwards(outcome, failed));
}

function afterwards(outcome: Outcome, failed: ReadonlyMap<string, Left['why']>): Outcome {
  if (outcome.kind === 'there' || outcome.kind === 'conflict') return outcome;
  const { path, from, base, ours, theirs } = outcome;
  const why = failed.get(shownPath(path)) ?? (from === null ? undefined : failed.get(shownPath(from)));
  return why === undefined ? outcome : { kind: 'conflict', path, why, base, ours, theirs, marked: null };
}

async function planFor(
  shadow: ShadowRepository,
  incoming: Incoming,
  root: string,
  signal: AbortSignal,
): Promise<{ plan: MergePlan; theirs: Listed }> {
  const base = await listingOf(shadow, incoming.base);
  const theirs = selected(base, await listingOf(shadow, incoming.theirs), incoming.only);
  if (incoming.isRelated !== true) checkRelated(base, root);
  const side = new FolderSide(shadow, root);
  try {
    const renames = await renamesIn(shadow, incoming, signal);
    return { plan: await planMerge(base, theirs, renames, side, mergeTextsIn(shadow)), theirs };
  } finally {
    side.close();
  }
}

/** What nobody wants is as it was. */
function selected(base: Listed, theirs: Listed, only: Incoming['only']): Listed {
  if (only === undefined) return theirs;
  const wanted = [...theirs.entries].filter(([path]) => only(path));
  return { ...theirs, entries: new Map([...[...base.entries].filter(([path]) => !only(path)), ...wanted]) };
}

/** From new names to old ones. */
export async function renamesIn(
  shadow: ShadowRepository,
  { base, theirs, only = () => true }: Incoming,
  signal: AbortSignal,
): Promise<ReadonlyMap<BytePath, BytePath>> {
  const [a, b] = [await shadow.trees(base), await shadow.trees(theirs)];
  if (a === null || b === null) throw new Error(`there is no checkpoint ${a === null ? base : theirs} here`);
  const args = ['diff-tree', '-r', '-z', '-M', '-l400', '--name-status', '--diff-filter=R', a.files, b.files];
  const fields = (await shadow.git.run(args, { signal })).toString('latin1').split('\0');
  const renames = new Map<BytePath, BytePath>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [from = '', to = ''] = fields.slice(at + 1);
    if (only(from) && only(to)) renames.set(to, from);
  }
  return renames;
}

/** So many files are looked for. */
const SAMPLE = 2_000;

/** At least one of the files that the changes began with has to be there. */
function checkRelated({ entries }: Listed, root: string): void {
  const files = [...entries].filter(([, { kind }]) => kind !== 'folder').slice(0, SAMPLE);
  const folders = openRoot(root);
  try {
    if (files.length === 0 || files.some(([path]) => isThere(folders, path))) return;
    throw new UnrelatedFolder(`${root} holds none of the files that were changed: is it the right folder?`);
  } finally {
    folders.close();
  }
}

function openRoot(root: string): HeldFolders {
  try {
    return new HeldFolders(root);
  } catch (cause) {
    throw new UnrelatedFolder(`${root} is not there, or is no folder that can be read`, { cause });
  }
}

function isThere(folders: HeldFolders, path: BytePath): boolean {
  try {
    return lstatSync(folders.at(parentOf(path)).at(nameOf(path)), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** For people: what conflicts there are. */
export function conflictsOf(outcomes: readonly Outcome[]): readonly Conflict[] {
  return outcomes.filter((each) => each.kind === 'conflict');
}
