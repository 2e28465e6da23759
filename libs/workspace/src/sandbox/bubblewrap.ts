/**
 * Sandbox of level bubblewrap: namespaces of the kernel, a view of the machine that holds the workspace and programs and nothing
 * else, and a filter for system calls. One box for each command.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { boxForwarder } from './box-network.js';
import { Boxed } from './boxed.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import { limitCommands } from './limits.js';
import { assertCovered } from './covered.js';
import { etcFolder } from './etc-folder.js';
import { ownFiles, type OwnFiles } from './own-files.js';
import { profileArguments } from './profile.js';
import type { BoxedProcess, BoxSpec, Sandbox } from './sandbox.js';
import { seccompFilter } from './seccomp.js';
import { stageFor } from './stage.js';
import { startBox } from './start.js';
import { Surroundings, type Around, type SurroundingsOptions } from './surroundings.js';
import { toolchains } from './toolchains.js';

export interface BubblewrapOptions extends SurroundingsOptions {
  /** @defaultValue `bwrap` in /usr/bin */
  readonly program?: string;
}

/**
 * Boxes made by bubblewrap: as another user when the worker is root, in namespaces of their own. Whether that works
 * here is for `chooseSandbox` to try.
 */
export function bubblewrap(options: BubblewrapOptions): Sandbox {
  const own = ownFiles(options.stateFolder);
  const etc = etcFolder(options.stateFolder, own);
  const surroundings = new Surroundings(options);
  return {
    level: 'bubblewrap',
    start: (spec, signal) => {
      const user = userToDropTo(spec.user);
      return surroundings.for(spec, user?.uid ?? null, (around) =>
        start({ spec, own, etc, user, options }, around, signal),
      );
    },
  };
}

interface StartParts {
  readonly spec: BoxSpec;
  readonly own: OwnFiles;
  readonly etc: string;
  readonly user: CommandUser | null;
  readonly options: BubblewrapOptions;
}

async function start(
  { spec, own, etc, user, options }: StartParts,
  { mounts, alone, proxySocket, tidy }: Around,
  signal: AbortSignal,
): Promise<BoxedProcess> {
  const tools = toolchains(spec.path, spec.workspacePath, user);
  const covered = options.covered ?? [];
  // PATH may hold links to our own programs, as `npm start` and `npm run link` make them.
  const folders = tools.folders.filter((folder) => !covered.some((each) => isIn(folder, each)));
  const stage = stageFor(mounts, {
    alone,
    empty: own.empty,
    folder: path.join(options.stateFolder, 'stages'),
    user,
  });
  const profile = profileArguments({
    spec,
    own,
    etc,
    mounts: stage?.mounts ?? mounts,
    toolchains: folders,
    path: tools.path,
    variables: tools.variables,
    covered: covered.filter((folder) => isShown(folder, folders)),
    proxySocket,
  });
  const wayOut = proxySocket === null ? '' : `${boxForwarder.script}; `;
  const script = `${wayOut}${limitCommands(spec.limits)}; exec /bin/bash --noprofile --norc -c "$1"`;
  const program = [...(stage?.launcher ?? []), options.program ?? '/usr/bin/bwrap'];
  // A stage is set up by us, and drops to the user itself.
  const startedAs = stage === null ? user : null;
  try {
    const box = await startBox(
      { program, profile, filter: seccompFilter(), script, command: spec.command, user: startedAs },
      signal,
    );
    try {
      assertCovered(box.firstPid, mounts);
    } catch (error) {
      box.kill();
      throw error;
    }
    return new Boxed(box, tidy, spec.limits.memoryBytes);
  } finally {
    stage?.remove();
  }
}

/** Whether a folder would be seen in a box. */
function isShown(folder: string, toolFolders: readonly string[]): boolean {
  return ['/usr', ...toolFolders].some((shown) => isIn(folder, shown)) && existsSync(folder);
}

function isIn(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}
