/** A workspace that is open for one run, and how its states are stored. */
import type {
  CheckpointRequest,
  CheckpointResult,
  MadeFrom,
  NewCheckpoint,
  SetupEnd,
  Workspace,
} from '@bullpen/core';
import type { Checkpoints, Taken } from '@bullpen/checkpoints';
import type { WorkspaceRows } from '@bullpen/store';
import type { Carried, RepositoryWatch } from './repositories.js';
import { listed, listedLeftOut } from './row-content.js';

type Last = { readonly id: string; readonly commit: string };

export interface OpenWorkspaceOptions {
  readonly id: string;
  /** A subtask's own, which began from a stored state of its parent's. */
  readonly isOwn: boolean;
  readonly path: string;
  /** It is a folder of the user's own. */
  readonly inPlace: boolean;
  readonly epoch: number;
  readonly madeFrom: MadeFrom | null;
  readonly setup: SetupEnd | null;
  /** The state that it was forked from, which only another tree has stored; null: it has one of its own, or begins from none. */
  readonly borrowed: Last | null;
  /** Something was changed before that no checkpoint holds. */
  readonly unsaved: boolean;
  /** Null: no states are stored. */
  readonly checkpoints: Checkpoints | null;
  /** Null: its branches and commits are not stored. */
  readonly repository: RepositoryWatch | null;
  readonly rows: WorkspaceRows;
  readonly newId: (prefix: 'ckpt') => string;
}

export class OpenWorkspace implements Workspace {
  readonly path: string;
  readonly epoch: number;
  readonly madeFrom: MadeFrom | null;
  readonly setup: SetupEnd | null;
  readonly inPlace: boolean;
  readonly isBorrowed: boolean;
  private unsaved: boolean;
  /** Taken by this run; its row may not be stored yet. */
  private last: Last | null = null;

  constructor(private readonly options: OpenWorkspaceOptions) {
    ({ path: this.path, epoch: this.epoch, madeFrom: this.madeFrom, setup: this.setup } = options);
    this.inPlace = options.inPlace;
    this.isBorrowed = options.borrowed !== null;
    this.unsaved = options.unsaved;
  }

  async checkpoint(request: CheckpointRequest, signal: AbortSignal): Promise<CheckpointResult> {
    const { checkpoints, rows, id, borrowed } = this.options;
    if (checkpoints === null) return this.notStored({ kind: 'off' });
    const parent = this.last ?? (await rows.newest(id));
    const note = request.note === undefined ? {} : { note: request.note };
    const before = (parent ?? borrowed)?.commit ?? null;
    const carried = await this.options.repository?.now(before, checkpoints, signal);
    const { attachment } = carried ?? {};
    const result = await checkpoints.take({ parent: parent?.commit ?? null, ...note, attachment }, signal);
    if (result.kind === 'degraded') {
      const { reason, message } = result;
      return this.notStored({ kind: 'degraded', reason, message });
    }
    await this.setUnsaved(false);
    if (result.kind === 'unchanged' && parent !== null) return { kind: 'unchanged', checkpointId: parent.id };
    const taken = withLeftOut(result as Taken, carried);
    const changes = await this.changesAt(taken.commit, checkpoints, signal);
    return { kind: 'taken', checkpoint: this.taken(request, parent, taken, changes) };
  }

  /** What differs from the state that it began from. */
  private async changesAt(
    commit: string,
    checkpoints: Checkpoints,
    signal: AbortSignal,
  ): Promise<NewCheckpoint['changes']> {
    const { rows, id, isOwn } = this.options;
    const base = isOwn ? await rows.baseOf(id) : null;
    return base && listed(await checkpoints.diff(base.commit, commit, signal));
  }

  private taken(
    request: CheckpointRequest,
    parent: Last | null,
    result: TakenWithMore,
    changes: NewCheckpoint['changes'],
  ): NewCheckpoint {
    const { reason, turn, note = null } = request;
    const { commit, files, diffstat, leftOut, pack } = result;
    const checkpointId = this.options.newId('ckpt');
    this.last = { id: checkpointId, commit };
    return {
      ...{ id: checkpointId, workspaceId: this.options.id, parentId: parent?.id ?? null },
      ...{ reason, turn, note, commit, files, bytes: pack.bytes },
      diffstat: diffstat && listed(diffstat),
      changes,
      leftOut,
    };
  }

  private async notStored(result: CheckpointResult): Promise<CheckpointResult> {
    await this.setUnsaved(true);
    return result;
  }

  private async setUnsaved(unsaved: boolean): Promise<void> {
    if (this.unsaved === unsaved) return;
    await this.options.rows.setUnsaved(this.options.id, unsaved);
    this.unsaved = unsaved;
  }
}

type TakenWithMore = Omit<Taken, 'leftOut'> & { readonly leftOut: NewCheckpoint['leftOut'] };

/** What the checkpoint lacks, of the repository too. */
function withLeftOut(taken: Taken, carried: Carried | undefined): TakenWithMore {
  return { ...taken, leftOut: [...listedLeftOut(taken.leftOut), ...(carried?.leftOut ?? [])] };
}
