/**
 * What a repository in a workspace has besides files: its branches and the commits that no other repository has. Read in the sandbox, as the
 * agent's commands are, so nothing of the repository runs outside of it and nothing is read that those could not read; placed in a new one.
 */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Sandbox } from '../sandbox/sandbox.js';
import { runCommand, type CommandSpec } from '../processes/run-command.js';
import type { CommandUser } from '../sandbox/command-user.js';
import { identityParts } from './clone.js';
import { giveAll } from './give-all.js';
import { GitFailed, runGit } from './run-git.js';

export interface CarriedRepository {
  /** A branch by its full name, or the id of a commit. */
  readonly head: string;
  readonly refs: readonly Ref[];
  /** Commits that whoever places this has from elsewhere: where the work began. */
  readonly base: readonly string[];
  /** What leads from the refs and not from the base. */
  readonly pack: Buffer;
}

type Ref = readonly [name: string, id: string];

/** `unreadable`: there is a repository, and it could not be read or has more than is kept. */
export type ReadRepository =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'read'; readonly repository: CarriedRepository };

export interface RepositoryRead {
  readonly box: Omit<CommandSpec, 'command' | 'cwd' | 'timeoutMs' | 'maxOutputBytes'>;
  /** As the last reading had it; null: this is the first, and what is there now is the base. */
  readonly base: readonly string[] | null;
  /** What the remote has is had from there again. False where nobody can say which remote that would be. */
  readonly hasOrigin: boolean;
}

/** Of commits that are new: they lie in memory, and in each checkpoint that follows. */
const MOST_PACKED = 24 * 1_024 ** 2;
/** Longest time that git may need. */
const READ_MS = 60_000;
/** They are given on a command line. */
const MOST_BASE = 1_500;

/** Throws the signal's reason. */
export async function readRepository(
  sandbox: Sandbox,
  { box, base, hasOrigin }: RepositoryRead,
  signal: AbortSignal,
): Promise<ReadRepository> {
  const folder = box.workspacePath;
  if (!(await isFolder(path.join(folder, '.git')))) return { kind: 'none' };
  const spec = { ...box, cwd: folder, timeoutMs: READ_MS, maxOutputBytes: 3 * MOST_PACKED };
  const command = script(base, hasOrigin);
  const { exitCode, timedOut, output } = await runCommand(sandbox, { ...spec, command }, signal);
  signal.throwIfAborted();
  if (exitCode === NO_REPOSITORY) return { kind: 'none' };
  if (timedOut) return { kind: 'unreadable', why: 'git took too long' };
  if (exitCode !== 0) return { kind: 'unreadable', why: `git ended with ${exitCode ?? 'a signal'}` };
  return parsed(output, base);
}

const NO_REPOSITORY = 3;

/** By what the second of the four said: it is cut off when there is too much, and that is seen by the size. */
const PACKED = 'case ${PIPESTATUS[1]} in 0|141) true;; *) exit 1;; esac';

/** Three parts: the head, the refs, the pack in letters. */
function script(base: readonly string[] | null, hasOrigin: boolean): string {
  const head = 'git symbolic-ref -q HEAD || git rev-parse -q --verify HEAD';
  const positive = [`git for-each-ref --format='%(objectname)'`, 'git rev-parse -q --verify HEAD'];
  const known = (base ?? []).filter(isId).map((id) => `git cat-file -e ${id} && echo ^${id}`);
  const remote = hasOrigin ? [`git for-each-ref --format='^%(objectname)' refs/remotes`] : [];
  const lines = [...positive, ...remote, ...known].join('; ');
  const pack = `{ ${lines}; true; } | git pack-objects --revs --thin --stdout -q --delta-base-offset`;
  return [
    'exec 2>/dev/null',
    `[ "$(git rev-parse --is-shallow-repository)" = false ] || exit ${NO_REPOSITORY}`,
    head,
    'echo',
    `git for-each-ref --format='%(objectname) %(refname)' || exit 1`,
    'echo',
    ...(base === null ? [] : [`${pack} | head -c ${MOST_PACKED} | base64 -w0`, PACKED]),
  ].join('\n');
}

function parsed(output: string, base: readonly string[] | null): ReadRepository {
  const [head = '', listed = '', letters = ''] = output.split(/\n\n/);
  const pack = Buffer.from(letters, 'base64');
  if (pack.length >= MOST_PACKED) return { kind: 'unreadable', why: 'its commits are too large' };
  const all = listed.split('\n').flatMap((line): Ref[] => {
    const [, id, name] = /^([\da-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [[name, id]];
  });
  const refs = all.filter(([name]) => !name.startsWith('refs/remotes/'));
  const first = [...refs].sort(([a], [b]) => Number(isTag(a)) - Number(isTag(b))).map(([, id]) => id);
  if (isId(head)) first.unshift(head);
  const kept = base ?? [...new Set(first)].slice(0, MOST_BASE);
  return { kind: 'read', repository: { head, refs, base: kept, pack } };
}

function isId(text: string): boolean {
  return /^[\da-f]{40,64}$/.test(text);
}

function isTag(name: string): boolean {
  return name.startsWith('refs/tags/');
}

/** As bytes, for whoever keeps it. */
export function packRepository({ pack, ...rest }: CarriedRepository): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(rest)}\n`), pack]);
}

/** What `packRepository` made. */
export function unpackRepository(bytes: Buffer): CarriedRepository {
  const end = bytes.indexOf('\n');
  const rest = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<CarriedRepository, 'pack'>;
  return { ...rest, pack: bytes.subarray(end + 1) };
}

export interface RepositoryPlace {
  /** The repository's own folder, which nobody else can enter yet; made when there is none. */
  readonly gitFolder: string;
  /** Where git is found, as in PATH. */
  readonly path: string;
  readonly owner: CommandUser | null;
  /** In whose name agents commit, where nothing says so yet: `Name <address>`. */
  readonly identity: string;
}

/**
 * Brings branches and commits to where they were. False when commits that these build on are not there: then the repository is
 * as it was. Files are not touched; what was staged is not known, so nothing is.
 */
export async function placeRepository(
  { head, refs, pack }: CarriedRepository,
  { gitFolder, path: searchPath, owner, identity }: RepositoryPlace,
  signal: AbortSignal,
): Promise<boolean> {
  const git = (args: readonly string[], input?: Buffer): Promise<string> =>
    runGit(
      ['--git-dir', gitFolder, ...args],
      { folder: path.dirname(gitFolder), path: searchPath, ...(input && { input }) },
      signal,
    );
  if (!(await isFolder(gitFolder))) {
    await git(['init', '--quiet', '--template=', '--initial-branch=main', '--bare']);
    await configure(git, identity);
  }
  try {
    if (pack.length > 0) await git(['index-pack', '--stdin', '--fix-thin', '--strict'], pack);
    const changes = await changesOf(git, refs);
    await git(['update-ref', '--no-deref', '--stdin'], Buffer.from(changes));
    if (head.startsWith('refs/')) {
      await git(['check-ref-format', head]);
      await git(['symbolic-ref', 'HEAD', head]);
    } else if (head !== '') await git(['update-ref', '--no-deref', 'HEAD', head]);
    // Without a folder of files: they are compared with this the next time that somebody asks.
    await git(refs.some(([name]) => name === head) || !head.startsWith('refs/') ? ['read-tree', 'HEAD'] : ['read-tree', '--empty']); // prettier-ignore
    return true;
  } catch (error) {
    if (error instanceof GitFailed) return false;
    throw error;
  } finally {
    await giveAll(gitFolder, owner, signal);
  }
}

/** A repository with files beside it. */
async function configure(git: (args: readonly string[]) => Promise<string>, identity: string): Promise<void> {
  const [name, email] = identityParts(identity);
  await git(['config', 'core.bare', 'false']);
  await git(['config', 'user.name', name]);
  await git(['config', 'user.email', email]);
}

/** In one transaction of git's: all or none. */
async function changesOf(
  git: (args: readonly string[]) => Promise<string>,
  refs: readonly Ref[],
): Promise<string> {
  const wanted = new Set(refs.map(([name]) => name));
  const heads = (await git(['for-each-ref', '--format=%(refname)', 'refs/heads'])).split('\n');
  const gone = heads.filter((name) => name !== '' && !wanted.has(name));
  const lines = [
    ...gone.map((name) => `delete ${name}`),
    ...refs.map(([name, id]) => `update ${name} ${id}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** How the refs look without git: the same look, the same commits. Null: they can't be told apart by it. */
export async function lookOfRefs(workspace: string): Promise<string | null> {
  const root = path.join(workspace, '.git');
  if (!(await isFolder(root))) return '';
  const looks: string[] = [];
  const pending = ['HEAD', 'packed-refs', 'refs', 'logs'];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const stats = await lstat(path.join(root, name), { bigint: true }).catch(() => null);
    if (stats === null) continue;
    looks.push(`${name} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`);
    if (looks.length > MOST_LOOKS) return null;
    if (stats.isDirectory())
      for (const entry of await readdir(path.join(root, name)).catch(() => []))
        pending.push(`${name}/${entry}`);
  }
  return looks.join('\n');
}

const MOST_LOOKS = 2_000;

async function isFolder(folder: string): Promise<boolean> {
  return lstat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
