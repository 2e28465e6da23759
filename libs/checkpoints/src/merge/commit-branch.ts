/**
 * Commits changes on a new branch of a user's repository, without a checkout: files, index and HEAD stay as they are, and no branch that is there is moved.
 * Only plumbing runs there, which starts none of the programs that the repository's settings name.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BytePath } from '../files/byte-path.js';
import { isProgram, NO_MODES } from '../files/modes.js';
import { GitFailed, GitProgram } from '../git-program.js';
import { listingOf, treeListing, type Entry, type Listed } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { mergeTextsIn } from './merge-texts.js';
import { renamesIn, UnrelatedFolder, type Incoming } from './merge.js';
import type { Outcome } from './outcome.js';
import { planMerge } from './plan-merge.js';
import { TreeSide } from './sides.js';

/** Which changes are to be committed, where, under which name, and by whom. */
export interface BranchRequest extends Incoming {
  /** The folder of a repository, or one in it. */
  readonly folder: string;
  readonly name: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

export type BranchResult =
  | { readonly kind: 'committed'; readonly commit: string; readonly outcomes: readonly Outcome[] }
  /** Nothing was committed: these touch what the newest commit has. */
  | { readonly kind: 'conflicts'; readonly outcomes: readonly Outcome[] }
  | {
      readonly kind: 'refused';
      readonly why: 'branch_exists' | 'bad_name' | 'no_repository' | 'other_format';
    };

/** On top of what HEAD names. To be called while the store is held alone. Throws `UnrelatedFolder` and `GitFailed`. */
export async function commitBranch(
  shadow: ShadowRepository,
  request: BranchRequest,
  signal: AbortSignal,
): Promise<BranchResult> {
  const place = repositoryOf(request.folder);
  if (place === null) return { kind: 'refused', why: 'no_repository' };
  const scratch = await mkdtemp(path.join(tmpdir(), 'branch-'));
  try {
    const committing = new Committing(shadow, new GitProgram(place.gitFolder), scratch, place.prefix, signal);
    return await committing.run(request);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

class Committing {
  constructor(
    private readonly shadow: ShadowRepository,
    private readonly git: GitProgram,
    private readonly scratch: string,
    /** Where the folder is in the repository; ends with a slash, or is empty. */
    private readonly prefix: BytePath,
    private readonly signal: AbortSignal,
  ) {}

  async run(request: BranchRequest): Promise<BranchResult> {
    const ref = `refs/heads/${request.name}`;
    if (!(await this.succeeds(['check-ref-format', '--branch', request.name])))
      return { kind: 'refused', why: 'bad_name' };
    if (await this.succeeds(['show-ref', '--verify', '--quiet', ref]))
      return { kind: 'refused', why: 'branch_exists' };
    if ((await this.git.line(['rev-parse', '--show-object-format'])) !== 'sha1')
      return { kind: 'refused', why: 'other_format' };
    const head = await this.headCommit();
    const ours = head === null ? NOTHING : await this.treeAt(head);
    const [base, theirs] = [
      await listingOf(this.shadow, request.base),
      await listingOf(this.shadow, request.theirs),
    ];
    if (![...base.entries.keys()].some((each) => ours.entries.has(each)) && base.entries.size > 0)
      throw new UnrelatedFolder(
        `The newest commit of ${request.folder} has none of the files that were changed`,
      );
    await this.fetchFrom(ours, base, theirs);
    const renames = await renamesIn(this.shadow, request, this.signal);
    const plan = await planMerge(
      base,
      theirs,
      renames,
      new TreeSide(ours.entries),
      mergeTextsIn(this.shadow),
    );
    const { outcomes } = plan;
    if (outcomes.some(({ kind }) => kind === 'conflict')) return { kind: 'conflicts', outcomes };
    const tree = await this.treeWith(head, ours, [...plan.lastly, ...plan.changes]);
    const commit = await this.commit(tree, head, request);
    // The old value says that there is none: a branch that came into being meanwhile is not moved.
    const made = await this.succeeds(['update-ref', '-m', 'bullpen', ref, commit, '0'.repeat(40)]);
    return made ? { kind: 'committed', commit, outcomes } : { kind: 'refused', why: 'branch_exists' };
  }

  private async headCommit(): Promise<string | null> {
    try {
      return await this.git.line(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    } catch (error) {
      if (error instanceof GitFailed && error.status === 1) return null;
      throw error;
    }
  }

  private async treeAt(commit: string): Promise<Listed> {
    try {
      const tree = await this.git.line([
        'rev-parse',
        '--verify',
        '--quiet',
        `${commit}:${this.prefix.slice(0, -1)}`,
      ]);
      return await treeListing({ git: this.git } as ShadowRepository, tree, NO_MODES);
    } catch (error) {
      if (error instanceof GitFailed && error.status === 1) return NOTHING;
      throw error;
    }
  }

  /** Contents of this side that have to be merged. */
  private async fetchFrom(ours: Listed, base: Listed, theirs: Listed): Promise<void> {
    const wanted = new Set<string>();
    for (const [name, { blob, kind }] of ours.entries) {
      const isTouched =
        base.entries.get(name)?.blob !== blob &&
        base.entries.get(name)?.blob !== theirs.entries.get(name)?.blob;
      if (isTouched && kind !== 'folder' && blob !== null) wanted.add(blob);
    }
    await copyBlobs(this.git, this.shadow.git, wanted, this.signal);
  }

  private async treeWith(
    head: string | null,
    ours: Listed,
    changes: readonly { path: BytePath; after: Entry | null }[],
  ): Promise<string> {
    const known = new Set([...ours.entries.values()].map(({ blob }) => blob));
    const added = changes.flatMap(({ after }) => (after?.blob && !known.has(after.blob) ? [after.blob] : []));
    await copyBlobs(this.shadow.git, this.git, new Set(added), this.signal);
    const env = { GIT_INDEX_FILE: path.join(this.scratch, 'index') };
    await this.git.run(head === null ? ['read-tree', '--empty'] : ['read-tree', head], { env });
    const lines = changes
      .filter(({ after }) => after?.kind !== 'folder')
      .map((change) => this.indexLine(change));
    await this.git.run(['update-index', '--add', '--replace', '-z', '--index-info'], {
      env,
      input: Buffer.from(lines.join(''), 'latin1'),
    });
    return this.git.line(['write-tree'], { env });
  }

  private indexLine({ path: name, after }: { path: BytePath; after: Entry | null }): string {
    const mode =
      after === null ? '0' : after.kind === 'link' ? '120000' : isProgram(after.perm) ? '100755' : '100644';
    return `${mode} ${after?.blob ?? '0'.repeat(40)}\t${this.prefix}${name}\0`;
  }

  private commit(tree: string, head: string | null, { message, author }: BranchRequest): Promise<string> {
    const env = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) => [
        [`GIT_${role}_NAME`, author.name],
        [`GIT_${role}_EMAIL`, author.email],
      ]),
    );
    return this.git.line(['commit-tree', tree, ...(head === null ? [] : ['-p', head]), '-F', '-'], {
      env,
      input: message,
    });
  }

  private async succeeds(args: readonly string[]): Promise<boolean> {
    try {
      await this.git.run(args);
      return true;
    } catch (error) {
      if (error instanceof GitFailed && error.status !== null) return false;
      throw error;
    }
  }
}

const NOTHING: Listed = { entries: new Map(), folderPerm: 0o755 };

async function copyBlobs(
  from: GitProgram,
  to: GitProgram,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  if (ids.size === 0) return;
  const pack = from.stream(['pack-objects', '--stdout', '-q'], { input: `${[...ids].join('\n')}\n`, signal });
  await to.run(['unpack-objects', '-q'], { input: pack, signal });
}

/** The git folder that a folder belongs to, and where the folder is in its tree. */
function repositoryOf(folder: string): { gitFolder: string; prefix: BytePath } | null {
  for (let top = path.resolve(folder); ; top = path.dirname(top)) {
    const found = path.join(top, '.git');
    const stats = lstatSync(found, { throwIfNoEntry: false });
    if (stats !== undefined) {
      const names = path.relative(top, path.resolve(folder));
      const prefix = names === '' ? '' : `${Buffer.from(names).toString('latin1')}/`;
      return { gitFolder: stats.isDirectory() ? found : pointedTo(top, found), prefix };
    }
    if (top === path.dirname(top)) return null;
  }
}

/** Of a work tree, or a submodule. */
function pointedTo(top: string, file: string): string {
  const [, target = ''] = /^gitdir: (.+)\n?$/.exec(readFileSync(file, 'utf8')) ?? [];
  return path.resolve(top, target);
}
