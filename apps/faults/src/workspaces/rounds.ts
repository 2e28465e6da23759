/** One tree: made, checkpointed, changed, moved to another machine, restored and restored back, each state compared with a listing of its own. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Checkpoints, FolderPackStore, type Taken } from '@bullpen/checkpoints';
import type { PackStore } from '@bullpen/core';
import { treeListing } from '@bullpen/testing/harness';
import { KINDS, REPOSITORIES, type Kind } from './kinds.js';
import { Tree, type Chance } from './tree.js';

export interface Counts {
  moves: number;
  restores: number;
  /** Paths that were not what an independent listing says. */
  lostFiles: number;
  /** Times that anything in the repository of the user was not as before. */
  movedBranches: number;
  /** What of the workspace was run. */
  ran: number;
  readonly problems: string[];
}

export async function playRound(
  number: number,
  chance: Chance,
  counts: Counts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'round-'));
  try {
    const kinds = chosenKinds(number, chance);
    const round = new Round(home, kinds, chance, counts, signal);
    await round.play();
    return kinds.map(({ name }) => name);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Each sort of repository in its turn, and most of the other kinds in any order. */
function chosenKinds(number: number, chance: Chance): readonly Kind[] {
  const repository = REPOSITORIES[number % REPOSITORIES.length] as Kind;
  const others = KINDS.filter(() => chance(4) > 0).sort(() => chance(3) - 1);
  return [repository, ...others];
}

class Round {
  private readonly tree: Tree;
  private readonly packs: PackStore;
  private last: string | null = null;
  private machines = 0;

  constructor(
    private readonly home: string,
    private readonly kinds: readonly Kind[],
    chance: Chance,
    private readonly counts: Counts,
    private readonly signal: AbortSignal,
  ) {
    const workspace = path.join(home, 'workspace');
    mkdirSync(workspace);
    writeFileSync(path.join(home, 'outside'), 'not of the workspace');
    this.tree = new Tree(workspace, chance);
    this.packs = new FolderPackStore(path.join(home, 'packs'));
  }

  async play(): Promise<void> {
    for (const kind of this.kinds) kind.make(this.tree);
    const first = await this.take();
    const before = this.covered(this.tree.folder);
    for (const kind of this.kinds) kind.change(this.tree);
    const second = await this.take();
    const after = this.covered(this.tree.folder);
    await this.move(first, before);
    await this.move(second, after);
    const safety = await this.restore(first, before);
    await this.restore(safety, after);
    await this.checkpoints(this.tree.folder).compact([first, second], this.signal);
    await this.move(first, before);
    if (existsSync(path.join(this.home, 'RAN')) || existsSync(path.join(this.tree.folder, 'RAN'))) {
      this.counts.ran += 1;
      this.counts.problems.push('a program of the workspace was run');
    }
  }

  private async take(): Promise<string> {
    const repository = this.repository();
    const result = await this.checkpoints(this.tree.folder).take({ parent: this.last }, this.signal);
    this.judgeRepository(repository, 'a checkpoint');
    if (result.kind === 'degraded') throw new Error(`no checkpoint: ${result.message}`);
    return (this.last = (result as Taken).commit);
  }

  private async move(commit: string, expected: readonly string[]): Promise<void> {
    this.machines += 1;
    const into = path.join(this.home, `machine-${this.machines}`, 'workspace');
    await this.checkpoints(into).rebuild(commit, into, this.signal);
    this.counts.moves += 1;
    this.judge('a move', expected, this.covered(into));
  }

  /** The checkpoint that was taken first. */
  private async restore(target: string, expected: readonly string[]): Promise<string> {
    const repository = this.repository();
    const alone = this.uncovered(this.tree.folder);
    const request = { target, parent: this.last, steps: 'everything' as const };
    const result = await this.checkpoints(this.tree.folder).restore(request, this.signal);
    if ('kind' in result) throw new Error(`no restore: ${result.message}`);
    this.counts.restores += 1;
    this.judge('a restore', expected, this.covered(this.tree.folder));
    this.judge('what a restore is to leave alone', alone, this.uncovered(this.tree.folder));
    this.judgeRepository(repository, 'a restore');
    return (this.last = result.safety.commit);
  }

  private checkpoints(workspace: string): Checkpoints {
    const folder = `${workspace}-shadow`;
    const { packs } = this;
    return new Checkpoints({ shadow: { folder }, workspace, line: 'line', packs, coverage: {}, owner: null });
  }

  private judge(what: string, expected: readonly string[], found: readonly string[]): void {
    const wrong = [
      ...expected.filter((line) => !found.includes(line)).map((line) => `lacks ${line}`),
      ...found.filter((line) => !expected.includes(line)).map((line) => `has ${line}`),
    ];
    this.counts.lostFiles += wrong.length;
    this.counts.problems.push(...wrong.map((line) => `after ${what} the workspace ${line}`));
  }

  private judgeRepository(before: readonly string[], what: string): void {
    const after = this.repository();
    if (after.join() === before.join()) return;
    this.counts.movedBranches += 1;
    this.counts.problems.push(`${what} changed the repository of the user`);
  }

  private repository(): readonly string[] {
    const folder = path.join(this.tree.folder, '.git');
    return existsSync(folder) ? treeListing(folder) : [];
  }

  private covered(folder: string): readonly string[] {
    return treeListing(folder, (name) => this.isUncovered(name));
  }

  private uncovered(folder: string): readonly string[] {
    const covered = new Set(this.covered(folder));
    return treeListing(folder).filter((line) => !covered.has(line));
  }

  private isUncovered(name: string): boolean {
    return path.basename(name) === '.git' || this.kinds.some(({ uncovered }) => uncovered?.test(name));
  }
}
