/**
 * One tree: made, checkpointed, changed, moved to another machine, restored and restored back, forked, and merged with what children did in copies of it,
 * each state compared with a listing of its own.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Checkpoints, FolderPackStore } from '@bullpen/checkpoints';
import type { PackStore } from '@bullpen/core';
import { treeListing } from '@bullpen/testing/harness';
import { FAMILY, playFamily, prepareFamily } from './family.js';
import { KINDS, REPOSITORIES, type Kind } from './kinds.js';
import { Tree, type Chance } from './tree.js';

export interface Counts {
  moves: number;
  /** Each there and, by the checkpoint that it took first, back counts as one. */
  restores: number;
  /** Checkpoints that became workspaces with a history of their own. */
  forks: number;
  /** Children whose changes their parent took. */
  merges: number;
  /** What both had changed in one place, said so, with both versions there. */
  conflicts: number;
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
    const round = new Round(number, home, kinds, chance, counts, signal);
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

const LINE = 'line';
const FORK = 'fork';
/** A family takes as long as all the rest of a round. */
const FAMILY_EVERY = 3;

class Round {
  private readonly tree: Tree;
  private readonly packs: PackStore;
  private last: string | null = null;
  private machines = 0;

  constructor(
    private readonly number: number,
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
    prepareFamily(this.tree);
    const first = await this.take();
    const before = this.covered(this.tree.folder);
    for (const kind of this.kinds) kind.change(this.tree);
    const second = await this.take();
    const after = this.covered(this.tree.folder);
    await this.move(first, before);
    await this.move(second, after);
    const safety = await this.restore(first, before);
    await this.restore(safety, after);
    if (this.number % FAMILY_EVERY === 0) await this.merge(second);
    await this.checkpoints(this.tree.folder).compact([first, second], this.signal);
    await this.move(first, before);
    await this.fork(first, before);
    if (existsSync(path.join(this.home, 'RAN')) || existsSync(path.join(this.tree.folder, 'RAN'))) {
      this.counts.ran += 1;
      this.counts.problems.push('a program of the workspace was run');
    }
  }

  private async take(): Promise<string> {
    const repository = this.repository();
    this.last = await this.taken(this.tree.folder, this.last);
    this.judgeRepository(repository, 'a checkpoint');
    return this.last;
  }

  private async taken(workspace: string, parent: string | null, line = LINE): Promise<string> {
    const result = await this.checkpoints(workspace, line).take({ parent }, this.signal);
    if (result.kind === 'degraded') throw new Error(`no checkpoint: ${result.message}`);
    return result.commit;
  }

  private async move(commit: string, expected: readonly string[]): Promise<void> {
    const into = this.machine();
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

  /** It goes on when what it came from is deleted, and what it does changes nothing there. */
  private async fork(commit: string, expected: readonly string[]): Promise<void> {
    const original = treeListing(this.tree.folder);
    const into = this.machine();
    await this.checkpoints(into).rebuild(commit, into, this.signal);
    this.judge('a fork', expected, this.covered(into));
    // The first kind is about the repository, which is not in a checkpoint.
    for (const kind of this.kinds.slice(1)) kind.change(new Tree(into, this.tree.chance));
    const changed = await this.taken(into, null, FORK);
    // As retention does, once the task that it came from is old.
    await this.packs.removeLine(LINE);
    const elsewhere = this.machine();
    await this.checkpoints(elsewhere, FORK).rebuild(changed, elsewhere, this.signal);
    this.counts.forks += 1;
    this.judge('a move of a fork', this.covered(into), this.covered(elsewhere));
    this.judge('the work of a fork', original, treeListing(this.tree.folder));
  }

  private async merge(base: string): Promise<void> {
    const { tree } = this;
    const repository = this.repository();
    const others = this.outsideFamily(tree.folder);
    const place = {
      ...{ tree, home: this.machine(), shadow: shadowOf(tree.folder) },
      checkpoints: (workspace: string) => this.checkpoints(workspace),
      take: (workspace: string, parent: string) => this.taken(workspace, parent),
    };
    const { merges, conflicts, expected } = await playFamily(place, base, this.signal);
    this.counts.merges += merges;
    this.counts.conflicts += conflicts;
    const family = (folder: string) => treeListing(path.join(folder, FAMILY));
    this.judge('taking what children changed', family(expected), family(tree.folder));
    this.judge('taking what children changed', others, this.outsideFamily(tree.folder));
    if (conflicts !== 1) this.problem(`${conflicts} conflicts were reported of one`);
    this.judgeRepository(repository, 'a merge');
  }

  private outsideFamily(folder: string): readonly string[] {
    return treeListing(folder, (name) => name === FAMILY);
  }

  private machine(): string {
    this.machines += 1;
    return path.join(this.home, `machine-${this.machines}`, 'workspace');
  }

  private checkpoints(workspace: string, line = LINE): Checkpoints {
    const shadow = { folder: shadowOf(workspace) };
    return new Checkpoints({ shadow, workspace, line, packs: this.packs, coverage: {}, owner: null });
  }

  private judge(what: string, expected: readonly string[], found: readonly string[]): void {
    const wrong = [
      ...expected.filter((line) => !found.includes(line)).map((line) => `lacks ${line}`),
      ...found.filter((line) => !expected.includes(line)).map((line) => `has ${line}`),
    ];
    for (const line of wrong) this.problem(`after ${what} the workspace ${line}`);
  }

  private problem(text: string): void {
    this.counts.lostFiles += 1;
    this.counts.problems.push(text);
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

function shadowOf(workspace: string): string {
  return `${workspace}-shadow`;
}
