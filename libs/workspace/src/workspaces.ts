/** Makes the folder that a task tree works in. Safe to repeat after a crash and to run on several workers at once. */
import { randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, type WorkspaceOrigin } from '@bullpen/contracts';
import { ownFolder, passedByOthers } from '@bullpen/platform';
import type { CommandUser } from './sandbox/command-user.js';
import { relativeInside } from './confine.js';
import {
  copyEntries,
  DEFAULT_COPY_LIMITS,
  listForCopy,
  type CopyLimits,
  type LeftOut,
} from './copy-folder.js';
import { readCloneStart, type CloneStart } from './git/clone.js';
import { checkGitUrl, type GitRules } from './git/git-rules.js';
import type { GitWorkspaces } from './git/git-workspaces.js';
import { readLeftOut, writeLeftOut } from './left-out.js';
import { OWN_FOLDER } from './walk.js';

export interface WorkspaceManagerOptions {
  /** Folder that holds the workspaces; made on first use. */
  readonly root: string;
  /** Which folders of the machine tasks may name: any, none, or those at or below the listed ones. */
  readonly allowPaths: 'any' | 'none' | readonly string[];
  /** Whether tasks may work in such a folder itself. @defaultValue false */
  readonly allowInPlace?: boolean;
  /** Where tasks may clone from. @defaultValue nowhere */
  readonly gitRules?: GitRules;
  /** Makes clones. Not needed where specs are only checked. */
  readonly git?: GitWorkspaces;
  /** Owner of new workspaces when this process is root; commands run as this user. */
  readonly commandUser: CommandUser | null;
  readonly copyLimits?: CopyLimits;
  /** Milliseconds since 1970. @defaultValue the clock */
  readonly now?: () => number;
}

export interface PreparedWorkspace {
  readonly path: string;
  readonly leftOut?: readonly LeftOut[];
  readonly clone?: CloneStart;
}

/** What else counts about the task tree that a workspace is for. */
export interface WorkspaceUse {
  /** Whose credentials a clone may be made with; without it, those that all may use. */
  readonly tenantId?: string;
  /** Somebody has worked in it already, so a new one would lack that work without anybody being told. */
  readonly begun?: boolean;
}

export class WorkspaceManager {
  private readonly root: string;
  private readonly owner: CommandUser | null;

  constructor(private readonly options: WorkspaceManagerOptions) {
    this.root = path.resolve(options.root);
    this.owner = process.getuid?.() === 0 ? options.commandUser : null;
  }

  /**
   * Checks what can be known before the work starts; makes nothing.
   * Throws `invalid_workspace`, with a text that says what to do.
   */
  async checkSpec(spec: WorkspaceOrigin): Promise<void> {
    if (spec.kind === 'path') await this.checkedPath(spec);
    if (spec.kind === 'git') checkGitUrl(spec.url, this.options.gitRules ?? NO_CLONES);
  }

  /**
   * The workspace of a task tree, made when it does not exist yet; the same every time. A `path` without copy is that folder.
   * `leftOut`: what a copy or a clone lacks, and `clone`: what that began with, as long as nobody has begun. Throws `invalid_workspace`
   * as `checkSpec` does, and when the source is too large or can't be read; `workspace_lost` when it was begun and is gone;
   * `workspace_failed` for what this machine can't do; the signal's reason on abort.
   */
  async prepare(
    rootTaskId: string,
    spec: WorkspaceOrigin,
    signal: AbortSignal,
    use: WorkspaceUse = {},
  ): Promise<PreparedWorkspace> {
    try {
      return await this.prepared(rootTaskId, spec, signal, use);
    } catch (error) {
      if (signal.aborted || error instanceof AppError) throw error;
      throw new AppError('workspace_failed', `The workspace can't be prepared: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private async prepared(
    rootTaskId: string,
    spec: WorkspaceOrigin,
    signal: AbortSignal,
    { tenantId = '', begun = false }: WorkspaceUse,
  ): Promise<PreparedWorkspace> {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(rootTaskId))
      throw new AppError('internal_error', `Not a task id: ${rootTaskId}`);
    if (spec.kind === 'path' && !spec.copy) return { path: await this.checkedPath(spec) };
    const target = path.join(this.root, rootTaskId);
    if (begun && !(await exists(target))) throw workspaceLost(target);
    ownFolder(this.root, passedByOthers());
    if (spec.kind === 'empty') await this.makeEmpty(target);
    else if (!(await exists(target))) await this.make(target, spec, tenantId, signal);
    return { path: await realpath(target), ...(!begun && (await beginningOf(target, spec))) };
  }

  private async make(
    target: string,
    spec: Exclude<WorkspaceOrigin, { kind: 'empty' }>,
    tenantId: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (spec.kind === 'path') return this.makeCopy(target, await this.checkedPath(spec), signal);
    await this.checkSpec(spec);
    const { git } = this.options;
    if (git === undefined) throw new AppError('workspace_failed', 'No clones are made here');
    await this.makeBeside(target, (folder) => git.fill(folder, spec, tenantId, this.owner, signal));
  }

  /** The real path of an allowed folder. */
  private async checkedPath(spec: Extract<WorkspaceOrigin, { kind: 'path' }>): Promise<string> {
    const { allowPaths, allowInPlace } = this.options;
    if (!spec.copy && allowInPlace !== true)
      throw invalid(
        'This installation does not let tasks work in a folder itself; let it work on a copy, or set WORKSPACE_IN_PLACE=true for the gateway',
      );
    if (allowPaths === 'none') {
      throw invalid(
        'This installation does not let tasks use folders of the machine; use an empty workspace, or allow the folder',
      );
    }
    if (!path.isAbsolute(spec.path) || spec.path.includes('\0'))
      throw invalid(`${spec.path} is not an absolute path; give one`);
    const real = await realFolder(spec.path);
    if (allowPaths !== 'any' && !(await isBelowAny(real, allowPaths))) {
      throw invalid(
        `${spec.path} is not among the folders that tasks may use (${allowPaths.join(', ')}); use one of these, or allow it`,
      );
    }
    if (spec.copy && (await this.isWithin(real))) {
      throw invalid(
        `${spec.path} holds the workspaces of this installation, so a copy would hold them too; name a folder in it`,
      );
    }
    return real;
  }

  /** True when a copy of the folder would take the workspaces along; below `.bullpen` they are left out anyway. */
  private async isWithin(folder: string): Promise<boolean> {
    const relative = relativeInside(folder, await realpath(this.root).catch(() => this.root));
    return relative !== null && !relative.split('/').includes(OWN_FOLDER);
  }

  private async makeEmpty(target: string): Promise<void> {
    await mkdir(target, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await this.giveToOwner(target);
  }

  private async makeCopy(target: string, source: string, signal: AbortSignal): Promise<void> {
    const list = await listForCopy(source, this.options.copyLimits ?? DEFAULT_COPY_LIMITS, signal);
    // A rename would replace an empty folder that another worker has already begun to use.
    if (list.entries.length + list.leftOut.length === 0) return this.makeEmpty(target);
    await this.makeBeside(target, async (folder) => {
      await copyEntries(source, folder, list, this.owner, signal);
      if (list.leftOut.length > 0) await writeLeftOut(folder, list.leftOut);
    });
  }

  /** Fills a folder beside the target and renames it: a workspace that exists is whole. Of several at once the first one wins. */
  private async makeBeside(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
    await this.removeStaleCopies(target);
    const temp = `${target}.tmp-${randomBytes(6).toString('hex')}`;
    await mkdir(temp, { mode: 0o700 });
    try {
      await fill(temp);
      await this.giveToOwner(temp);
      await rename(temp, target).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      });
    } finally {
      // What cannot be removed now is removed with the stale copies; why it failed is what counts.
      await rm(temp, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  private async giveToOwner(folder: string): Promise<void> {
    if (this.owner) await chown(folder, this.owner.uid, this.owner.gid);
  }

  /** What a crashed worker left; younger ones may belong to a worker that still copies. */
  private async removeStaleCopies(target: string): Promise<void> {
    const prefix = `${path.basename(target)}.tmp-`;
    for (const name of await readdir(this.root)) {
      if (!name.startsWith(prefix)) continue;
      const stale = path.join(this.root, name);
      const stats = await lstat(stale).catch(() => null);
      if (stats && (this.options.now ?? Date.now)() - stats.ctimeMs > STALE_COPY_MS)
        await rm(stale, { recursive: true, force: true });
    }
  }
}

const NO_CLONES: GitRules = { hosts: 'none', protocols: [] };

/** Far more than a copy within the limits, or a clone, takes. */
const STALE_COPY_MS = 24 * 3_600_000;

/** What there is to tell of a workspace that nobody has worked in yet. */
async function beginningOf(target: string, spec: WorkspaceOrigin): Promise<Partial<PreparedWorkspace>> {
  const clone = spec.kind === 'git' ? await readCloneStart(target) : null;
  const leftOut = clone?.leftOut ?? (await readLeftOut(target));
  return { ...(clone && { clone }), ...(leftOut.length > 0 && { leftOut }) };
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('invalid_workspace', message, { cause });
}

/** The error for a workspace that cannot be made again; `why` ends its sentence. */
export function workspaceLost(folder: string, why?: string, cause?: unknown): AppError {
  const reason = why === undefined ? '' : `, and ${why}`;
  return new AppError(
    'workspace_lost',
    `The workspace ${folder} is gone, and the files of the work so far with it: it was removed, or is on a machine that this one does not share${reason}. ` +
      'Restore it and retry the task, or retry it as a new one.',
    { cause },
  );
}

async function realFolder(given: string): Promise<string> {
  try {
    const real = await realpath(given);
    if ((await stat(real)).isDirectory()) return real;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw invalid(`${given} does not exist on this machine; check the path`, cause);
    throw invalid(
      `${given} can't be used (${code ?? 'unknown error'}); check the path and its permissions`,
      cause,
    );
  }
  throw invalid(`${given} is not a folder; name the folder that holds it`);
}

async function isBelowAny(real: string, allowed: readonly string[]): Promise<boolean> {
  for (const folder of allowed) {
    const base = await realpath(folder).catch(() => path.resolve(folder));
    if (relativeInside(base, real) !== null) return true;
  }
  return false;
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
