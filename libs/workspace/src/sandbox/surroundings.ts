/**
 * What is around one command, whatever runs it: which paths of the workspace are covered while it runs, its way to opened hosts, and
 * what is to be done about the workspace when nothing of it runs any more.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { opensHosts } from '@bullpen/core';
import { relativeInside } from '../confine.js';
import type { HostGate, OpenedHosts } from '../network/host-gate.js';
import { holdStill } from './box-processes.js';
import { byteString } from './byte-path.js';
import { bringBack } from './moved-hidden.js';
import { commandRuns } from './own-writes.js';
import type { WorkspaceMounts } from './profile.js';
import { ProtectedTree, type Found } from './protected-tree.js';
import { recordRun, unfinishedRun } from './run-record.js';
import type { BoxedProcess, BoxEnd, BoxSpec } from './sandbox.js';
import { takeBack } from './take-back.js';
import { planWorkspace, type Snapshot } from './workspace-plan.js';

export interface SurroundingsOptions {
  /** Folder for small files of its own, which only this installation writes to and the command user can enter. */
  readonly stateFolder: string;
  /** Folders that no command may see although they lie in one that it sees, such as the installation's own. */
  readonly covered?: readonly string[];
  /** Told what went wrong after a command, when the workspace was looked after. */
  readonly onProblem?: (error: unknown) => void;
  /** Opens hosts by name. Without it, there is no network in any box. */
  readonly gate?: HostGate;
}

export interface Around {
  readonly mounts: WorkspaceMounts;
  /** Whether no other command runs in the workspace. */
  readonly alone: boolean;
  /** Null when no host is opened. */
  readonly proxySocket: string | null;
  /** To be called once, when nothing of the command runs any more. Never rejects. */
  tidy(): Promise<Aftermath>;
}

/** Workspaces of which it is kept what was found in them. */
const MOST_TREES = 64;

/** What a command did that it should not have done. */
export type Aftermath = Pick<BoxEnd, 'takenBack' | 'refusedHosts'>;

export class Surroundings {
  private readonly trees = new Map<string, ProtectedTree>();
  /** The first processes of what runs in a workspace. */
  private readonly running = new Map<string, Set<number>>();
  private readonly turns = new Map<string, Promise<void>>();

  constructor(private readonly options: SurroundingsOptions) {}

  /**
   * Starts something with what is around it, and tidies up at once when that fails.
   * @param uid the user that the command runs as; null for our own
   */
  async for<T extends BoxedProcess>(
    spec: BoxSpec,
    uid: number | null,
    start: (around: Around) => Promise<T>,
  ): Promise<T> {
    const opened = await openHosts(spec, this.options.gate, uid);
    const { workspacePath: root } = spec;
    const letNext = await this.turnIn(root);
    const letGoOn = holdStill(this.running.get(root) ?? []);
    try {
      return await this.startAround(spec, opened, start);
    } catch (error) {
      opened?.close();
      throw error;
    } finally {
      letGoOn();
      letNext();
    }
  }

  /** What is seen of the workspace must still be so when it is covered: nothing else of ours may run in it meanwhile. */
  private async startAround<T extends BoxedProcess>(
    spec: BoxSpec,
    opened: OpenedHosts | null,
    start: (around: Around) => Promise<T>,
  ): Promise<T> {
    const { workspacePath: root, files } = spec;
    const tree = this.treeOf(root, files);
    const unfinished = unfinishedRun(this.options.stateFolder, root);
    const before = unfinished === null ? [] : await this.restore(spec, tree, unfinished);
    const found = [...(await tree.find()), ...coveredInside(root, this.options.covered ?? [])];
    const { mounts, snapshot } = planWorkspace(root, found);
    const others = this.running.get(root) ?? new Set<number>();
    const alone = others.size === 0;
    const forget = this.record(root, snapshot);
    let firstPid = 0;
    const tidy = async (): Promise<Aftermath> => {
      opened?.close();
      others.delete(firstPid);
      const after = await this.restore(spec, tree, snapshot);
      forget();
      return { takenBack: [...new Set([...before, ...after])], refusedHosts: opened?.refused() ?? [] };
    };
    try {
      const started = await start({ mounts, alone, proxySocket: opened?.socketPath ?? null, tidy });
      firstPid = started.anchor.pid;
      this.running.set(root, others.add(firstPid));
      return started;
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Starts in one workspace come one after the other; gives what lets the next one begin. */
  private async turnIn(root: string): Promise<() => void> {
    const before = this.turns.get(root);
    let done = (): void => undefined;
    const turn = new Promise<void>((resolve) => (done = resolve));
    this.turns.set(root, turn);
    await before;
    return () => {
      if (this.turns.get(root) === turn) this.turns.delete(root);
      done();
    };
  }

  private treeOf(root: string, files: BoxSpec['files']): ProtectedTree {
    const tree = ProtectedTree.of(root, files, this.trees.get(root));
    this.trees.delete(root);
    this.trees.set(root, tree);
    const [oldest] = this.trees.keys();
    if (this.trees.size > MOST_TREES && oldest !== undefined) this.trees.delete(oldest);
    return tree;
  }

  /** Notes that a command runs; gives what is to be called when the workspace has been looked after. */
  private record(root: string, snapshot: Snapshot): () => void {
    const removeRecord = recordRun(this.options.stateFolder, root, snapshot);
    const runsNoMore = commandRuns();
    return () => {
      if (this.running.get(root)?.size === 0) this.running.delete(root);
      removeRecord();
      runsNoMore();
    };
  }

  private async restore(
    { workspacePath: root, home }: BoxSpec,
    tree: ProtectedTree,
    before: Snapshot,
  ): Promise<readonly string[]> {
    try {
      const back = await bringBack(root, before, await tree.find());
      const taken = takeBack({ root, before, found: await tree.find(), keepIn: `${home}.taken-back` });
      return [...back, ...taken];
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
