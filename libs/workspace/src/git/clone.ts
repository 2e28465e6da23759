/**
 * Makes a repository with files from what a mirror was shown. It has its own objects (docs/adr/0016): only those that lead from these refs, so that
 * nobody sees through it what others may see, and it works wherever it is put. Nothing in it runs while it is made.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, type GitSpec } from '@bullpen/contracts';
import type { LeftOut } from '../copy-folder.js';
import { namedRef, type Shown } from './mirrors.js';
import { GitFailed, runGit, type GitRun } from './run-git.js';

/** The same for all clones of an installation. */
export interface CloneOptions {
  /** Where git is found, as in PATH. */
  readonly path: string;
  /** In whose name agents commit: `Name <address>`. */
  readonly identity: string;
}

/** What a clone began with. */
export interface CloneStart {
  readonly url: string;
  /** Null for a tag or a commit. */
  readonly branch: string | null;
  /** Null for a repository without commits. */
  readonly commit: string | null;
  readonly leftOut: readonly LeftOut[];
}

const NO_COMMIT_BRANCH = 'main';
const START_FILE = '.git/bullpen-start.json';

/** Fills an empty folder that nobody else can enter yet. Throws `invalid_workspace` for a ref that is not there. */
export async function cloneInto(
  folder: string,
  spec: GitSpec,
  shown: Shown,
  options: CloneOptions,
  signal: AbortSignal,
): Promise<void> {
  const git = gitIn(folder, options, signal);
  const first = shown.head ?? NO_COMMIT_BRANCH;
  await git(['init', '--quiet', '--template=', `--initial-branch=${first}`]);
  const wanted = [`+${shown.refs}/heads/*:refs/remotes/origin/*`, `+${shown.refs}/tags/*:refs/tags/*`];
  const named = namedIn(spec);
  if (named !== null) wanted.push(`+${namedRef(shown, named)}:refs/named`);
  // The reflog would tell where the mirror is.
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc'];
  await git(['fetch', ...flags, '--', shown.mirror, ...wanted], {
    transports: 'file',
    config: { 'core.logAllRefUpdates': 'false', 'fetch.unpackLimit': '1' },
  });
  await configure(git, spec.url, options.identity, shown.head);
  const start = await startOf(git, spec, shown.head);
  if (named !== null) await git(['update-ref', '-d', 'refs/named']);
  if (start.commit !== null) await checkOut(git, start.branch, start.commit);
  const leftOut = start.commit === null ? [] : await notFetched(git);
  await mkdir(path.join(folder, '.git/info'), { recursive: true });
  await writeFile(path.join(folder, START_FILE), JSON.stringify({ url: spec.url, ...start, leftOut }));
}

/** What the clone began with. Only to be asked before anybody has worked there. */
export async function readCloneStart(folder: string): Promise<CloneStart> {
  return JSON.parse(await readFile(path.join(folder, START_FILE), 'utf8')) as CloneStart;
}

/** The ref when it is asked for by its full name and is neither a branch nor a tag; else null. */
export function namedIn({ ref }: GitSpec): string | null {
  return ref !== undefined && /^refs\/(?!heads\/|tags\/)/.test(ref) ? ref : null;
}

type Git = (args: readonly string[], run?: Pick<GitRun, 'config' | 'transports'>) => Promise<string>;

function gitIn(folder: string, { path: searchPath, identity }: CloneOptions, signal: AbortSignal): Git {
  const [name, email] = identityParts(identity);
  const env = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  return (args, run = {}) => runGit(args, { ...run, env, folder, path: searchPath }, signal);
}

/** As a clone of git's own has it. */
async function configure(git: Git, url: string, identity: string, head: string | null): Promise<void> {
  const [name, email] = identityParts(identity);
  await git(['config', 'user.name', name]);
  await git(['config', 'user.email', email]);
  await git(['config', 'remote.origin.url', url]);
  await git(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*']);
  if (head !== null && (await commitOf(git, `refs/remotes/origin/${head}`)) !== null)
    await git(['symbolic-ref', 'refs/remotes/origin/HEAD', `refs/remotes/origin/${head}`]);
}

type Start = Pick<CloneStart, 'branch' | 'commit'>;

/** Looked for in the clone, which has nothing but what the credential may see: also the ids of commits. */
async function startOf(git: Git, spec: GitSpec, head: string | null): Promise<Start> {
  const { url, ref } = spec;
  if (ref === undefined) {
    const commit = head === null ? null : await commitOf(git, `refs/remotes/origin/${head}`);
    if (commit !== null || (await git(['for-each-ref', '--count=1'])) === '') return { branch: head ?? NO_COMMIT_BRANCH, commit }; // prettier-ignore
    throw new AppError(
      'invalid_workspace',
      `The HEAD of ${url} names no branch that it has; name one with "ref"`,
    );
  }
  const branch = ref.replace(/^refs\/heads\//, '');
  const onBranch = ref.startsWith('refs/tags/') ? null : await commitOf(git, `refs/remotes/origin/${branch}`);
  if (onBranch !== null) return { branch, commit: onBranch };
  const others = namedIn(spec) !== null ? ['refs/named'] : [`refs/tags/${ref.replace(/^refs\/tags\//, '')}`];
  if (/^[\da-f]{7,64}$/.test(ref)) others.push(ref);
  for (const other of others) {
    const commit = await commitOf(git, other);
    if (commit !== null) return { branch: null, commit };
  }
  throw new AppError(
    'invalid_workspace',
    `${url} has no branch or tag ${ref}, and no commit ${ref} that one of them leads to; name one that it has`,
  );
}

/** Null when there is none by this name. */
async function commitOf(git: Git, name: string): Promise<string | null> {
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    return (await git(args)).trim();
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

/** By the plumbing: names of branches come from elsewhere, and could be taken for options. */
async function checkOut(git: Git, branch: string | null, commit: string): Promise<void> {
  if (branch === null) {
    await git(['update-ref', '--no-deref', 'HEAD', commit]);
  } else {
    await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
    await git(['update-ref', `refs/heads/${branch}`, commit]);
    await git(['config', `branch.${branch}.remote`, 'origin']);
    await git(['config', `branch.${branch}.merge`, `refs/heads/${branch}`]);
  }
  await git(['reset', '--quiet', '--hard']);
}

/** Files of other repositories and of large file storage, which have to be fetched from elsewhere. */
async function notFetched(git: Git): Promise<LeftOut[]> {
  const modules = (await git(['ls-files', '-z', '--stage'])).split('\0').filter((line) => line.startsWith('160000 ')); // prettier-ignore
  const large = (await git(['ls-files', '-z', '--', ':(attr:filter=lfs)'])).split('\0');
  return [
    ...modules.map((line) => ({ path: line.slice(line.indexOf('\t') + 1), why: 'submodule' as const })),
    ...large.filter((name) => name !== '').map((name) => ({ path: name, why: 'lfs' as const })),
  ];
}

/** `Name <address>`, taken apart. */
export function identityParts(identity: string): [name: string, email: string] {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(identity) ?? [];
  return [name, email];
}
