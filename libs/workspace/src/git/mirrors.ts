/**
 * One bare repository for each address, so that its objects come over the network once. It is only ever read by way of refs that were
 * fetched with the reader's own credential: what others have fetched into it is not theirs to see.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts';
import { OURS, ownFolder } from '@bullpen/platform';
import { accessProblem, isContention, mayPass, remoteOf, type Remote, type RemoteOptions } from './remote.js';
import { GitFailed, runGit, type GitRun } from './run-git.js';

/** Where mirrors are, and how the repositories elsewhere are reached. */
export interface MirrorOptions extends RemoteOptions {
  /** Folder that holds the mirrors; made on first use. */
  readonly root: string;
  /** Where git is found, as in PATH. */
  readonly path: string;
}

/** What a repository has shown to a credential a moment ago. */
export interface Shown {
  readonly mirror: string;
  /** Under this, in the mirror: its `heads`, its `tags`, and in `named` what was asked for by its full name. */
  readonly refs: string;
  /** The branch that is its HEAD; null when it has none. */
  readonly head: string | null;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** Git holds such a file for moments: this one belongs to a process that was killed. */
const DEAD_LOCK_MS = 10 * 60_000;

export class GitMirrors {
  /** The last fetch of each mirror: the next one waits for it, and then mostly finds all there. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(private readonly options: MirrorOptions) {}

  /**
   * Asks the repository itself, every time, with the credential of the tenant. `named`: a ref by its full name that is no branch and no
   * tag. Throws `invalid_workspace` for what is not there or may not be read, `workspace_failed` when it can't be reached.
   */
  async fetch(url: string, tenantId: string, named: string | null, signal: AbortSignal): Promise<Shown> {
    const mirror = path.join(this.options.root, `${digest(url)}.git`);
    const turn = (this.turns.get(mirror) ?? Promise.resolve()).then(async () => {
      await this.make(mirror, signal);
      return this.tried(mirror, url, () => this.fetchOnce(mirror, url, tenantId, named, signal), signal);
    });
    const settled = turn.catch(() => undefined);
    this.turns.set(mirror, settled);
    try {
      return await turn;
    } finally {
      if (this.turns.get(mirror) === settled) this.turns.delete(mirror);
    }
  }

  private async make(mirror: string, signal: AbortSignal): Promise<void> {
    ownFolder(this.options.root, OURS);
    if (await isThere(mirror)) return;
    const made = `${mirror}.${randomBytes(6).toString('hex')}`;
    await this.git(this.options.root, ['init', '--quiet', '--bare', '--template=', made], {}, signal);
    await rename(made, mirror).catch(async (error: NodeJS.ErrnoException) => {
      await rm(made, { recursive: true, force: true });
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }

  /** Again, when it may go better: the network, or another worker in the same mirror. */
  private async tried<T>(
    mirror: string,
    url: string,
    work: () => Promise<T | null>,
    signal: AbortSignal,
  ): Promise<T> {
    for (let pause = FIRST_PAUSE_MS, tries = 1; ; tries += 1, pause *= 2) {
      try {
        const done = await work();
        if (done !== null) return done;
        if (tries === TRIES)
          throw new AppError('workspace_failed', `The host of ${url} could not be found; check the address`);
      } catch (error) {
        if (!(error instanceof GitFailed)) throw error;
        if (isContention(error)) await removeDeadLocks(mirror);
        else if (!mayPass(error)) throw accessProblem(url, error);
        if (tries === TRIES) throw accessProblem(url, error);
      }
      await sleep(pause, undefined, { signal });
    }
  }

  private async fetchOnce(
    mirror: string,
    url: string,
    tenantId: string,
    named: string | null,
    signal: AbortSignal,
  ): Promise<Shown | null> {
    const remote = await remoteOf(url, tenantId, this.options);
    if (remote === null) return null;
    const refs = `refs/shown/${remote.access}`;
    const head = await this.headOf(mirror, remote, signal);
    const wanted = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${refs}/${kind}/*`);
    if (named !== null) wanted.push(`+${named}:${refs}/named/${digest(named)}`);
    const flags = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-auto-gc'];
    await this.git(mirror, ['fetch', ...flags, '--', remote.url, ...wanted], remote.run, signal);
    return { mirror, refs, head };
  }

  private async headOf(mirror: string, { url, run }: Remote, signal: AbortSignal): Promise<string | null> {
    const shown = await this.git(mirror, ['ls-remote', '--symref', '--', url, 'HEAD'], run, signal);
    return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(shown)?.[1] ?? null;
  }

  private git(
    folder: string,
    args: readonly string[],
    run: Pick<GitRun, 'config' | 'env' | 'transports'>,
    signal: AbortSignal,
  ): Promise<string> {
    // One pack for each fetch instead of a file for each object.
    const config = { 'fetch.unpackLimit': '1', 'core.logAllRefUpdates': 'false', ...run.config };
    return runGit(args, { ...run, config, folder, path: this.options.path }, signal);
  }
}

/** Where a ref that was asked for by its full name is found. */
export function namedRef({ refs }: Shown, named: string): string {
  return `${refs}/named/${digest(named)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

async function isThere(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => null)) !== null;
}

/** What a git that was killed has left would stop every later one. */
async function removeDeadLocks(mirror: string): Promise<void> {
  const names = await readdir(mirror, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.lock'))) {
    const lock = path.join(mirror, name);
    const made = await stat(lock).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > DEAD_LOCK_MS) await unlink(lock).catch(() => undefined);
  }
}
