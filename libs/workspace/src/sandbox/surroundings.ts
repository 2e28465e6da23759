/**
 * What is around one command, whatever runs it: which paths of the workspace are covered while it runs, its way to opened hosts, and
 * what is to be done about the workspace when nothing of it runs any more.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { opensHosts } from '@bullpen/core';
import { relativeInside } from '../confine.js';
import type { HostGate, OpenedHosts } from '../network/host-gate.js';
import { byteString } from './byte-path.js';
import type { WorkspaceMounts } from './profile.js';
import { ProtectedTree, type Found } from './protected-tree.js';
import type { BoxSpec } from './sandbox.js';
import { takeBack } from './take-back.js';
import { planWorkspace, type Snapshot } from './workspace-plan.js';

export interface SurroundingsOptions {
  /** Folders that no command may see although they lie in one that it sees, such as the installation's own. */
  readonly covered?: readonly string[];
  /** Told what went wrong after a command, when the workspace was looked after. */
  readonly onProblem?: (error: unknown) => void;
  /** Opens hosts by name. Without it, there is no network in any box. */
  readonly gate?: HostGate;
}

export interface Around {
  readonly mounts: WorkspaceMounts;
  /** Null when no host is opened. */
  readonly proxySocket: string | null;
  /** To be called once, when nothing of the command runs any more. Gives the paths that were taken back. Never rejects. */
  tidy(): Promise<readonly string[]>;
}

export class Surroundings {
  private readonly trees = new Map<string, ProtectedTree>();

  constructor(private readonly options: SurroundingsOptions) {}

  /**
   * Starts something with what is around it, and tidies up at once when that fails.
   * @param uid the user that the command runs as; null for our own
   */
  async for<T>(spec: BoxSpec, uid: number | null, start: (around: Around) => Promise<T>): Promise<T> {
    const { workspacePath: root, files } = spec;
    const tree = ProtectedTree.of(root, files, this.trees.get(root));
    this.trees.set(root, tree);
    const opened = await openHosts(spec, this.options.gate, uid);
    try {
      const found = [...(await tree.find()), ...coveredInside(root, this.options.covered ?? [])];
      const { mounts, snapshot } = planWorkspace(root, found);
      const tidy = async (): Promise<readonly string[]> => {
        opened?.close();
        return this.restore(spec, tree, snapshot);
      };
      return await start({ mounts, proxySocket: opened?.socketPath ?? null, tidy });
    } catch (error) {
      opened?.close();
      throw error;
    }
  }

  private async restore(
    { workspacePath: root, home }: BoxSpec,
    tree: ProtectedTree,
    before: Snapshot,
  ): Promise<readonly string[]> {
    try {
      return takeBack({ root, before, found: await tree.find(), keepIn: `${home}.taken-back` });
    } catch (error) {
      this.options.onProblem?.(error);
      return [];
    }
  }
}

/** Somebody may work on a folder in which this installation lies. */
function coveredInside(root: string, folders: readonly string[]): Found[] {
  return folders.flatMap((folder) => {
    const relative = relativeInside(root, folder);
    if (relative === null || relative === '' || !existsSync(folder)) return [];
    return [{ path: byteString(relative), kind: 'folder', role: 'hidden' } as const];
  });
}

async function openHosts(
  { network }: BoxSpec,
  gate: HostGate | undefined,
  uid: number | null,
): Promise<OpenedHosts | null> {
  if (!opensHosts(network)) return null;
  if (gate !== undefined) return gate.open(network, uid);
  throw new AppError(
    'tool_failed',
    'Hosts are opened by the policy, but no way out of the sandbox is set up here',
  );
}
