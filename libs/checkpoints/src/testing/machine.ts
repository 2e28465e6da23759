/** A machine with a workspace, and a store of packs that it shares with others. For specs. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Checkpoints, type CheckpointsOptions } from '../checkpoints.js';
import { MemoryPackStore } from '../packs/memory-pack-store.js';
import type { PackStore } from '@bullpen/core';
import type { Taken, TakeResult } from '../take-result.js';

export const signal = new AbortController().signal;

export class Machine {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'machine-'));
  readonly workspace = path.join(this.folder, 'workspace');
  readonly shadow = path.join(this.folder, 'shadow');
  readonly packs: PackStore;
  last: string | null = null;
  private readonly options: Partial<CheckpointsOptions>;

  constructor(options: Partial<CheckpointsOptions> = {}, from?: Machine) {
    this.options = options;
    this.packs = options.packs ?? from?.packs ?? new MemoryPackStore();
    if (from === undefined) mkdirSync(this.workspace);
  }

  get checkpoints(): Checkpoints {
    return new Checkpoints({
      shadow: { folder: this.shadow },
      workspace: this.workspace,
      line: 'line',
      packs: this.packs,
      coverage: {},
      owner: null,
      ...this.options,
    });
  }

  /** Takes a checkpoint that must succeed, and gives its commit. */
  async take(): Promise<string> {
    const result = await this.tryTake();
    if (result.kind === 'degraded') throw new Error(result.message);
    return (this.last = result.commit);
  }

  async taken(): Promise<Taken> {
    const result = await this.tryTake();
    if (result.kind !== 'taken') throw new Error(`not taken: ${JSON.stringify(result)}`);
    this.last = result.commit;
    return result;
  }

  tryTake(): Promise<TakeResult> {
    return this.checkpoints.take({ parent: this.last }, signal);
  }

  /** Another machine, with nothing but the packs, on which the checkpoint has become the workspace. */
  async moved(commit: string, options: Partial<CheckpointsOptions> = {}): Promise<Machine> {
    const other = new Machine({ ...this.options, ...options }, this);
    await other.checkpoints.rebuild(commit, other.workspace, signal);
    other.last = commit;
    return other;
  }

  at(name: string): string {
    return path.join(this.workspace, name);
  }

  write(name: string, content: string | Buffer, mode?: number): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    if (mode !== undefined) chmodSync(this.at(name), mode);
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true, force: true });
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@localhost', ...args], {
      cwd: this.workspace,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
