/**
 * Sandbox of level bubblewrap: namespaces of the kernel, a view of the machine that holds the workspace and programs and nothing
 * else, and a filter for system calls. One box for each command.
 */
import { existsSync } from 'node:fs';
import { boxForwarder } from './box-network.js';
import { Boxed } from './boxed.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import { limitCommands } from './limits.js';
import { ownFiles, type OwnFiles } from './own-files.js';
import { profileArguments } from './profile.js';
import type { BoxedProcess, BoxSpec, Sandbox } from './sandbox.js';
import { seccompFilter } from './seccomp.js';
import { startBox } from './start.js';
import { Surroundings, type Around, type SurroundingsOptions } from './surroundings.js';
import { toolchains } from './toolchains.js';

export interface BubblewrapOptions extends SurroundingsOptions {
  /** @defaultValue `bwrap` in /usr/bin */
  readonly program?: string;
}

export function bubblewrap(options: BubblewrapOptions): Sandbox {
  const own = ownFiles(options.stateFolder);
  const surroundings = new Surroundings(options);
  return {
    level: 'bubblewrap',
    start: (spec, signal) => {
      const user = userToDropTo(spec.user);
      return surroundings.for(spec, user?.uid ?? null, (around) =>
        start({ spec, own, user, options }, around, signal),
      );
    },
  };
}

interface StartParts {
  readonly spec: BoxSpec;
  readonly own: OwnFiles;
  readonly user: CommandUser | null;
  readonly options: BubblewrapOptions;
}

async function start(
  { spec, own, user, options }: StartParts,
  { mounts, proxySocket, tidy }: Around,
  signal: AbortSignal,
): Promise<BoxedProcess> {
  const tools = toolchains(spec.path, spec.workspacePath);
  const covered = options.covered ?? [];
  // PATH may hold links to our own programs, as `npm start` and `npm run link` make them.
  const folders = tools.folders.filter((folder) => !covered.some((each) => isIn(folder, each)));
  const profile = profileArguments({
    spec,
    own,
    mounts,
    toolchains: folders,
    path: tools.path,
    covered: covered.filter((folder) => isShown(folder, folders)),
    proxySocket,
  });
  const wayOut = proxySocket === null ? '' : `${boxForwarder.script}; `;
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
  return new Boxed(box, tidy, spec.limits.memoryBytes);
}

/** Whether a folder would be seen in a box. */
function isShown(folder: string, toolFolders: readonly string[]): boolean {
  return ['/usr', ...toolFolders].some((shown) => isIn(folder, shown)) && existsSync(folder);
}

function isIn(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}
