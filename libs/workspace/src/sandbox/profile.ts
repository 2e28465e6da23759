/**
 * All that bubblewrap is told for one command. A later mount covers an earlier one, so the order matters. Nothing here makes
 * bubblewrap create anything in the workspace: each destination in it is there, and no link is on the way (see `workspace-plan.ts`).
 */
import { BOX_USER, type OwnFiles } from './own-files.js';
import { memoryFolders } from './limits.js';
import { boxForwarder, BOX_PROXY_SOCKET, proxyVariables } from './box-network.js';
import type { BoxSpec } from './sandbox.js';
import { systemFolders } from './system-folders.js';
import { IN_A_BOX } from './unattended.js';

/** A path as text, or as the bytes that it is. */
export type Argument = string | Buffer;

/** What happens to paths of the workspace. All exist, are absolute and go through no link; in the order of the mounts. */
export interface WorkspaceMounts {
  /** Bound on themselves, so that they can't be moved away with what is protected in them. */
  readonly pinned: readonly Argument[];
  readonly readOnly: readonly Argument[];
  readonly hiddenFiles: readonly Argument[];
  readonly hiddenFolders: readonly Argument[];
}

export interface ProfileParts {
  readonly spec: BoxSpec;
  readonly own: OwnFiles;
  /** The folder that is shown as /etc. */
  readonly etc: string;
  readonly mounts: WorkspaceMounts;
  /** Folders outside of the workspace that hold programs. */
  readonly toolchains: readonly string[];
  /** PATH in the box. */
  readonly path: string;
  /** What the toolchains need beside it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Folders that must not be seen though they lie in a system folder or a tool's; the workspace may lie in one of them. */
  readonly covered: readonly string[];
  readonly proxySocket: string | null;
}

/** Namespaces, and what a process in them may do. */
const CONFINEMENT: readonly string[] = [
  ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--unshare-cgroup-try', '--unshare-net', '--hostname', 'box'],
  ...['--uid', String(BOX_USER.uid), '--gid', String(BOX_USER.gid), '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--clearenv'],
];

/** The files of process 1 name paths of the machine, and its memory could be written. */
const PROCESSES = ['--proc', '/proc', ...emptyFolder('/proc/1', '0555')];

/** The words behind `bwrap`, in the order in which it mounts. */
export function profileArguments(parts: ProfileParts): Argument[] {
  const { spec, own, etc, mounts, toolchains, covered, proxySocket } = parts;
  const { tmp, shm } = memoryFolders(spec.limits);
  return [
    ...CONFINEMENT,
    ...Object.entries(environment(parts)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...systemFolders().flat(),
    ...['--ro-bind', etc, '/etc'],
    ...PROCESSES,
    ...['--dev', '/dev', ...inMemory('/dev/shm', shm), '--remount-ro', '/dev'],
    ...[...inMemory('/tmp', tmp), ...inMemory('/var/tmp', tmp), '--dir', '/run'],
    ...toolchains.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...covered.flatMap((folder) => ['--perms', '0711', '--size', '65536', '--tmpfs', folder]),
    ...['--bind', spec.home, BOX_USER.home],
    ...(proxySocket === null ? [] : wayOut(proxySocket)),
    ...['--bind', spec.workspacePath, spec.workspacePath],
    ...covered.flatMap((folder) => ['--remount-ro', folder]),
    ...mounts.pinned.flatMap((place) => ['--bind', place, place]),
    ...mounts.readOnly.flatMap((place) => ['--ro-bind', place, place]),
    ...mounts.hiddenFolders.flatMap((place) => emptyFolder(place, '0000')),
    ...mounts.hiddenFiles.flatMap((place) => ['--ro-bind', own.empty, place]),
    ...['--chdir', spec.cwd, '--remount-ro', '/'],
  ];
}

function wayOut(proxySocket: string): string[] {
  return ['--ro-bind', ...boxForwarder.program, '--ro-bind', proxySocket, BOX_PROXY_SOCKET];
}

function inMemory(folder: string, bytes: number): string[] {
  return ['--size', String(bytes), '--tmpfs', folder];
}

function emptyFolder<T extends Argument>(place: T, mode: string): (T | string)[] {
  return ['--perms', mode, '--size', '4096', '--tmpfs', place, '--remount-ro', place];
}

/** All of the command's environment. */
function environment({ path, variables, proxySocket }: ProfileParts): Record<string, string> {
  return {
    PATH: path,
    ...IN_A_BOX,
    ...variables,
    ...(proxySocket === null ? {} : proxyVariables()),
  };
}
