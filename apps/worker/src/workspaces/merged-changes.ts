/** Brings the changes of an isolated subtask into the workspace of its parent, from what is stored of both. */
import {
  besideName,
  bytePath,
  mergeInto,
  previewMerge,
  putBeside,
  ShadowRepository,
  shownPath,
  conflictsOf,
  versionsOf,
  type BytePath,
  type Conflict,
  type Incoming,
  type Outcome,
  type Owner,
} from '@bullpen/checkpoints';
import { NO_RULES } from '@bullpen/contracts';
import {
  protectionOf,
  type ChangesRequest,
  type SubtaskChanges,
  type TakenFile,
  type TouchedPath,
} from '@bullpen/core';
import type { WorkspaceRows } from '@bullpen/store';
import { HiddenPaths } from '@bullpen/workspace';
import type { TaskWorkspaces } from './task-workspaces.js';

/** A look must not take longer: a policy waits for it. */
const LOOK_MS = 60_000;
/** Of a diff that a person is shown. */
const DIFF_CHARS = 100_000;

const WHY: Readonly<Record<Conflict['why'], string>> = {
  both_changed: 'both have changed the same place.',
  both_added: 'both have added it, each with other content.',
  gone_here: 'you have removed it, and the subtask has changed it.',
  gone_there: 'the subtask has removed it, and you have changed it.',
  in_the_way: 'something else stands in its place.',
  changed_meanwhile: 'it changed while this was carried out: call again.',
  closed: 'it may not be read or written.',
  protected: "it belongs to the repository's own files, which are never taken.",
};

export interface MergedChangesOptions {
  readonly workspaces: TaskWorkspaces;
  readonly rows: WorkspaceRows;
  /** Of files that are made. */
  readonly owner: Owner | null;
}

export class MergedChanges implements SubtaskChanges {
  constructor(private readonly options: MergedChangesOptions) {}

  async preview(request: ChangesRequest): ReturnType<SubtaskChanges['preview']> {
    const signal = AbortSignal.timeout(LOOK_MS);
    const opened = await this.open(request, signal);
    if (opened === null) return null;
    const { incoming, checkpoints, alone } = opened;
    const { workspacePath: root } = request.parent;
    const outcomes = await alone((shadow) => previewMerge(shadow, incoming, root, signal));
    const written = outcomes.flatMap((outcome) => writtenBy(outcome, besideOf(request))).map(shownPath);
    const changed = outcomes.flatMap((outcome) =>
      outcome.kind === 'taken' || outcome.kind === 'merged' ? [shownPath(outcome.path)] : [],
    );
    let diff = '';
    if (changed.length > 0)
      for await (const piece of checkpoints.patch(incoming.base, incoming.theirs, signal, changed)) {
        diff += piece.toString('utf8');
        if (diff.length > DIFF_CHARS) break;
      }
    return { paths: written.map((path) => touched(root, path)), diff: diff.slice(0, DIFF_CHARS) };
  }

  async take(request: ChangesRequest, signal: AbortSignal): Promise<readonly TakenFile[] | null> {
    const opened = await this.open(request, signal);
    if (opened === null) return null;
    const { incoming, alone } = opened;
    const target = { root: request.parent.workspacePath, owner: this.options.owner };
    return alone(async (shadow) => {
      const outcomes = await mergeInto(shadow, incoming, target, signal);
      const beside = await putBeside(shadow, conflictsOf(outcomes), besideOf(request), target, signal);
      const files: TakenFile[] = [];
      for (const outcome of outcomes) files.push(await fileOf(shadow, outcome, beside.get(outcome.path)));
      return files;
    });
  }

  /** What is to be brought, with its objects on this machine. */
  private async open({ parent, childId, paths }: ChangesRequest, signal: AbortSignal) {
    const { rows, workspaces } = this.options;
    const [base, newest] = [await rows.baseOf(childId), await rows.newest(childId)];
    const checkpoints = workspaces.checkpointsOf(parent.task, parent.workspacePath);
    if (base === null || newest === null || checkpoints === null) return null;
    for (const { commit } of [base, newest]) await checkpoints.bring(commit, signal);
    const incoming: Incoming = {
      ...{ base: base.commit, theirs: newest.commit, isRelated: true },
      ...(paths.length > 0 && { only: below(paths) }),
    };
    const alone = <T>(use: (shadow: ShadowRepository) => Promise<T>): Promise<T> =>
      ShadowRepository.alone({ folder: workspaces.shadowOf(parent.task) }, signal, use);
    return { incoming, checkpoints, alone };
  }
}

/** Part of the name of a subtask's version of a file. */
function besideOf({ childId }: ChangesRequest): string {
  return `theirs-${childId.slice(-6)}`;
}

function below(paths: readonly string[]): (path: BytePath) => boolean {
  const wanted = paths.map((path) => bytePath(path.replace(/^(\.\/)+|\/+$/g, '')));
  return (path) =>
    wanted.some((each) => each === '.' || each === '' || path === each || path.startsWith(`${each}/`));
}

function writtenBy(outcome: Outcome, beside: string): readonly BytePath[] {
  if (outcome.kind === 'there') return [];
  if (outcome.kind === 'conflict') {
    const name = besideName(outcome, beside);
    return name === null ? [] : [name];
  }
  return outcome.from === null ? [outcome.path] : [outcome.path, outcome.from];
}

/** No link is followed, so what is written is below the folder. */
function touched(root: string, path: string): TouchedPath {
  const isHidden = HiddenPaths.of(root).hides(path.split('/'), false);
  const place = isHidden ? 'hidden' : protectionOf(path, NO_RULES.files) === null ? 'inside' : 'protected';
  return { path, access: 'write', place };
}

async function fileOf(
  shadow: ShadowRepository,
  outcome: Outcome,
  beside: BytePath | undefined,
): Promise<TakenFile> {
  const path = shownPath(outcome.path);
  if (outcome.kind !== 'conflict') return { path, result: outcome.kind };
  const versions = await versionsOf(shadow, outcome, { ours: 'yours', theirs: "the subtask's" });
  return {
    ...{ path, result: 'conflict', why: WHY[outcome.why] },
    ...(versions !== null && { versions }),
    ...(beside !== undefined && { theirs: shownPath(beside) }),
  };
}
