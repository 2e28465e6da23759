/** The checkpoints of a workspace on this machine. */
import { join } from 'node:path';
import { NO_RULES } from '@bullpen/contracts';
import { Checkpoints, type Budget } from '@bullpen/checkpoints';
import { protectionOf, type PackStore } from '@bullpen/core';
import { HiddenPaths, type CommandUser } from '@bullpen/workspace';

export interface CheckpointPlace {
  readonly packs: PackStore;
  readonly budget?: Budget | undefined;
  /** Folder for what checkpoints are made with, out of reach of agents. */
  readonly shadows: string;
  /** Owner of the files when this process is root. */
  readonly user: CommandUser | null;
}

export function checkpointsOf(
  { packs, shadows, user, budget }: CheckpointPlace,
  { id, rootId }: { readonly id: string; readonly rootId: string },
  folder: string,
): Checkpoints {
  return new Checkpoints({
    shadow: { folder: join(shadows, id) },
    workspace: folder,
    line: rootId,
    packs,
    coverage: {
      hides: () => {
        const hidden = HiddenPaths.of(folder);
        return (names, isFolder) => isHidden(hidden, names, isFolder);
      },
    },
    owner: user,
    ...(budget && { budget }),
  });
}

/** Nobody may see it, or only people: it never leaves the machine. */
function isHidden(hidden: HiddenPaths, names: readonly string[], isFolder: boolean): boolean {
  return (
    hidden.hides(names, isFolder) || (!isFolder && protectionOf(names.join('/'), NO_RULES.files) === 'secret')
  );
}
