/**
 * Sandbox of level bubblewrap: namespaces of the kernel, a view of the machine that holds the workspace and programs and nothing
 * else, and a filter for system calls. One box for each command.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { relativeInside } from '../confine.js';
import type { HostGate, OpenedHosts } from '../network/host-gate.js';
import { boxForwarder } from './box-network.js';
import { byteString } from './byte-path.js';
import { limitCommands } from './limits.js';
import { Boxed } from './boxed.js';
import { userToDropTo } from './command-user.js';

import { ownFiles, type OwnFiles } from './own-files.js';
import { profileArguments } from './profile.js';
import { ProtectedTree, type Found } from './protected-tree.js';
import type { BoxedProcess, BoxSpec, Sandbox } from './sandbox.js';
import { seccompFilter } from './seccomp.js';
import { startBox } from './start.js';
import { takeBack } from './take-back.js';
import { toolchains } from './toolchains.js';
import { planWorkspace } from './workspace-plan.js';

export interface BubblewrapOptions {
  /** Folder for small files of its own, which only this installation writes to and the command user can enter. */
  readonly stateFolder: string;
  /** @defaultValue `bwrap` in /usr/bin */
  readonly program?: string;
  /** Folders that no command may see although they lie in one that it sees, such as the installation's own. */
  readonly covered?: readonly string[];
  /** Told what went wrong after a command, when the workspace was looked after. */
  readonly onProblem?: (error: unknown) => void;
  /** Opens hosts by name. Without it, there is no network in any box. */
  readonly gate?: HostGate;
}

export function bubblewrap(options: BubblewrapOptions): Sandbox {
  const own = ownFiles(options.stateFolder);
  const trees = new Map<string, ProtectedTree>();
  return {
    level: 'bubblewrap',
    start: (spec, signal) => start(spec, options, own, trees, signal),
  };
}

async function start(
  spec: BoxSpec,
  options: BubblewrapOptions,
  own: OwnFiles,
  trees: Map<string, ProtectedTree>,
  signal: AbortSignal,
): Promise<BoxedProcess> {
  const user = userToDropTo(spec.user);
  const { workspacePath: root } = spec;
  const tree = ProtectedTree.of(root, spec.files, trees.get(root));
  trees.set(root, tree);
  const opened = await openHosts(spec, options.gate, user?.uid ?? null);
  const plan = planWorkspace(root, [...(await tree.find()), ...coveredInside(root, options.covered ?? [])]);
  const tools = toolchains(spec.path, root);
  const profile = profileArguments({
    spec,
    own,
    mounts: plan.mounts,
    toolchains: tools.folders,
    path: tools.path,
    covered: (options.covered ?? []).filter((folder) => isShown(folder, tools.folders)),
    proxySocket: opened?.socketPath ?? null,
  });
  const wayOut = opened === null ? '' : `${boxForwarder.script}; `;
  const script = `${wayOut}${limitCommands(spec.limits)}; exec /bin/bash --noprofile --norc -c "$1"`;
  const box = await startBox(
    {
      program: options.program ?? '/usr/bin/bwrap',
      profile,
      filter: seccompFilter(),
      script,
      command: spec.command,
      user,
    },
    signal,
  );
  return new Boxed(box, async () => {
    opened?.close();
    const keepIn = `${spec.home}.taken-back`;
    try {
      return takeBack({ root, before: plan.snapshot, found: await tree.find(), keepIn });
    } catch (error) {
      options.onProblem?.(error);
      return [];
    }
  });
}

/** Whether a folder would be seen in a box. */
function isShown(folder: string, toolFolders: readonly string[]): boolean {
  const isIn = (shown: string): boolean => folder === shown || folder.startsWith(`${shown}/`);
  return ['/usr', ...toolFolders].some(isIn) && existsSync(folder);
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
  if (network.allow.length === 0) return null;
  if (gate !== undefined) return gate.open(network, uid);
  throw new AppError(
    'tool_failed',
    'Hosts are opened by the policy, but no way out of the sandbox is set up here',
  );
}
