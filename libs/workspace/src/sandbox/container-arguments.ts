/** All that an engine is told for one command; docker and podman take the same. */
import { AppError } from '@bullpen/contracts';
import { BOX_PROXY_SOCKET, boxForwarder, proxyVariables } from './box-network.js';
import type { CommandUser } from './command-user.js';
import { memoryFolders } from './limits.js';
import { BOX_USER, type OwnFiles } from './own-files.js';
import type { Argument, WorkspaceMounts } from './profile.js';
import { ownerLabel, type Engine } from './engine.js';
import type { BoxLimits, BoxSpec } from './sandbox.js';
import { IN_A_BOX } from './unattended.js';

export interface ContainerParts {
  readonly spec: BoxSpec;
  readonly image: string;
  readonly name: string;
  readonly user: CommandUser;
  readonly own: OwnFiles;
  readonly mounts: WorkspaceMounts;
  readonly proxySocket: string | null;
  /** For bash, with the command as `$1`. */
  readonly script: string;
  readonly engine: Engine;
}

/** No capability, no way to get one, no network, a file system that can't be written; and no log of its output on the host's disk. */
const CONFINEMENT = [
  ...['--interactive', '--rm', '--pull', 'never', '--log-driver', 'none', '--sig-proxy=false'],
  ...['--network', 'none', '--cap-drop', 'ALL', '--read-only', '--ipc', 'private', '--hostname', 'box'],
  // The workspace keeps its SELinux label: other programs of the machine work in it, too.
  ...['--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
];

/** The words behind `docker` or `podman`, in order. */
export function containerArguments(parts: ContainerParts): string[] {
  const { spec, image, name, user, own, mounts, proxySocket, script, engine } = parts;
  const binds: readonly (readonly [Argument, Argument, 'write' | 'read'])[] = [
    [spec.workspacePath, spec.workspacePath, 'write'],
    [spec.home, BOX_USER.home, 'write'],
    ...own.binds.map(([source, place]) => [source, place, 'read'] as const),
    ...(proxySocket === null ? [] : wayOut(proxySocket)),
    ...mounts.pinned.map((place) => [place, place, 'write'] as const),
    ...mounts.readOnly.map((place) => [place, place, 'read'] as const),
    ...mounts.hiddenFolders.map((place) => [own.emptyFolder, place, 'read'] as const),
    ...mounts.hiddenFiles.map((place) => [own.empty, place, 'read'] as const),
  ];
  return [
    'run',
    ...CONFINEMENT,
    // Without root, podman would make another user of ours in the container.
    ...(engine.name === 'podman' && process.getuid?.() !== 0 ? ['--userns', 'keep-id'] : []),
    ...['--name', name, '--label', ownerLabel(), '--user', `${user.uid}:${user.gid}`, '--workdir', spec.cwd],
    ...limits(spec.limits),
    ...binds.flatMap(([source, place, access]) => ['--mount', bind(source, place, access)]),
    ...Object.entries(environment(proxySocket)).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...['--entrypoint', '/bin/bash', image, '--noprofile', '--norc', '-c', script, 'bash', spec.command],
  ];
}

function wayOut(socket: string): (readonly [Argument, Argument, 'read'])[] {
  return [
    [socket, BOX_PROXY_SOCKET, 'read'],
    [...boxForwarder.program, 'read'],
  ];
}

function limits(limits: BoxLimits): string[] {
  const { memoryBytes, processes, openFiles, fileBytes, cpuSeconds } = limits;
  const { tmp, shm } = memoryFolders(limits);
  // Behind our own watch, which can say what it did.
  const atMost = Math.floor(memoryBytes * 1.25);
  const folder = 'rw,exec,nosuid,nodev,mode=1777';
  return [
    ...['--memory', String(atMost), '--memory-swap', String(atMost), '--pids-limit', String(processes)],
    ...['--ulimit', `nofile=${openFiles}:${openFiles}`, '--ulimit', `fsize=${fileBytes}:${fileBytes}`],
    ...['--ulimit', `cpu=${cpuSeconds}:${cpuSeconds}`, '--ulimit', 'core=0:0', '--shm-size', String(shm)],
    ...['--tmpfs', `/tmp:${folder},size=${tmp}`, '--tmpfs', `/var/tmp:${folder},size=${tmp}`],
  ];
}

/** As a field of a line of comma-separated values, which is how engines read it. */
function bind(source: Argument, place: Argument, access: 'write' | 'read'): string {
  const fields = ['type=bind', `source=${asText(source)}`, `destination=${asText(place)}`];
  return [...fields, ...(access === 'read' ? ['readonly'] : [])].map(quoted).join(',');
}

function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function asText(path: Argument): string {
  const text = String(path);
  if (typeof path === 'string' || Buffer.from(text).equals(path)) return text;
  throw new AppError(
    'tool_failed',
    `A container can't cover ${JSON.stringify(text)}, whose name is no UTF-8; rename it`,
  );
}

/** PATH is the image's. An engine may be set up to hand on proxies of its own, with their passwords: they are overwritten. */
function environment(proxySocket: string | null): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, ''])),
    ...(proxySocket === null ? {} : proxyVariables()),
    ...IN_A_BOX,
  };
}
