/**
 * Where the objects of checkpoints outlive machines: a pack for each checkpoint, which holds what its base does not have. A line is what may
 * build on each other, like the workspaces of one task tree.
 */
export interface PackInfo {
  /** Names it in its line; chosen by whoever makes it, so that a repeated put is the same. */
  readonly id: string;
  readonly line: string;
  /** The checkpoints whose objects it brings. */
  readonly holds: readonly string[];
  /** The checkpoint that it builds on; null when it is whole by itself. */
  readonly base: string | null;
}

export interface StoredPack extends PackInfo {
  readonly bytes: number;
}

export interface StoredLine {
  readonly line: string;
  /** How many it has. */
  readonly packs: number;
  readonly bytes: number;
}

/** Pieces of any size, never a whole pack. */
export type PackContent = AsyncIterable<Uint8Array>;

export interface PackStore {
  /** All or nothing; one that is there already stays as it is. When the content throws, nothing is stored. */
  put(pack: PackInfo, content: PackContent): Promise<StoredPack>;
  /** Puts a pack in the place of others, all at once: no reader finds neither. */
  replace(dropped: readonly string[], pack: PackInfo, content: PackContent): Promise<StoredPack>;
  /** Those of a line, in the order in which they came. */
  list(line: string): Promise<readonly StoredPack[]>;
  /** All lines that have packs. */
  lines(): Promise<readonly StoredLine[]>;
  /** Throws `PackGone`. */
  read(line: string, id: string): PackContent;
  /** Nothing happens for those that are gone. */
  remove(line: string, ids: readonly string[]): Promise<void>;
  removeLine(line: string): Promise<void>;
}

export class PackGone extends Error {
  override readonly name = 'PackGone';

  constructor(line: string, id: string) {
    super(`the store has no pack ${id} of ${line}`);
  }
}
