/** Brings checkpoints from a store of objects into packs that outlive it, and back. */
import { randomUUID } from 'node:crypto';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import type { PackStore, StoredPack } from '@bullpen/core';

/** The packs of a checkpoint are not all there, or do not hold all that it needs. */
export class ObjectsMissing extends Error {
  override readonly name = 'ObjectsMissing';

  constructor(
    readonly commit: string,
    why: string,
  ) {
    super(`the objects of checkpoint ${commit} are not all stored: ${why}`);
  }
}

/** How packs are made: whole, unless options say otherwise. */
export const PACKING = ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'];

export class CheckpointPacks {
  constructor(
    private readonly shadow: ShadowRepository,
    private readonly store: PackStore,
    private readonly line: string,
  ) {}

  /** Stores what the checkpoint has and its base, whose objects are here, has not. */
  async put(commit: string, base: string | null, signal: AbortSignal): Promise<StoredPack> {
    const since = base !== null && (await this.isStored(base)) ? base : null;
    // No checkpoint leads to another one for git: `--shallow` lets it take the base's objects into account all the same.
    const thin = since === null ? [] : ['--thin', '--shallow'];
    const input = since === null ? `${commit}\n` : `${commit}\n^${since}\n`;
    const content = this.shadow.git.stream([...PACKING, ...thin], { input, signal });
    return this.store.put({ id: commit, line: this.line, holds: [commit], base: since }, content);
  }

  /** Makes the checkpoint's objects be here. Throws `ObjectsMissing`, and the store's errors. */
  async bring(commit: string, signal: AbortSignal): Promise<void> {
    if (await this.shadow.isWhole(commit)) return;
    const packs = await this.store.list(this.line);
    const chain = chainOf(commit, packs);
    for (const pack of chain) {
      signal.throwIfAborted();
      const input = this.store.read(this.line, pack.id);
      // A pack without objects is no pack for git: everything was in its base.
      if (pack.bytes > 0)
        await this.shadow.git.run(['index-pack', '--stdin', '--fix-thin'], { input, signal });
    }
    await this.shadow.keep(chain.flatMap(({ holds }) => holds));
    if (!(await this.shadow.isWhole(commit))) throw new ObjectsMissing(commit, 'a pack lacks some');
  }

  /**
   * One pack in the place of those given, or of all of the line, with the checkpoints that are to be kept and no other. What others build on must be
   * among those.
   * Until it is stored whole, the old ones stay.
   */
  async compact(
    keep: readonly string[],
    signal: AbortSignal,
    among?: readonly StoredPack[],
  ): Promise<StoredPack | null> {
    const before = among ?? (await this.store.list(this.line));
    const ids = before.map(({ id }) => id);
    if (keep.length === 0) {
      await this.store.remove(this.line, ids);
      return null;
    }
    for (const commit of keep) await this.bring(commit, signal);
    const content = this.shadow.git.stream(PACKING, { input: `${keep.join('\n')}\n`, signal });
    const pack = { id: randomUUID(), line: this.line, holds: keep, base: null };
    return this.store.replace(ids, pack, content);
  }

  /** Whether the checkpoint can be brought to any machine, as far as the store's list tells. */
  async isStored(commit: string): Promise<boolean> {
    const packs = await this.store.list(this.line);
    try {
      return chainOf(commit, packs).length > 0;
    } catch {
      return false;
    }
  }
}

/** The packs that lead to a checkpoint, the whole one first. */
function chainOf(commit: string, packs: readonly StoredPack[]): readonly StoredPack[] {
  const chain: StoredPack[] = [];
  for (let wanted: string | null = commit; wanted !== null;) {
    const pack = packs.findLast(({ holds }) => holds.includes(wanted as string));
    if (pack === undefined) throw new ObjectsMissing(commit, `no pack holds ${wanted}`);
    if (chain.includes(pack)) throw new ObjectsMissing(commit, 'its packs build on each other');
    chain.unshift(pack);
    wanted = pack.base;
  }
  return chain;
}
