/**
 * Sandbox of level docker or podman: a container of an image that people chose, one for each command, with the workspace and nothing
 * else of the machine. For those who want that image's programs, or whose machine allows no namespaces to bubblewrap.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '@bullpen/contracts';
import { boxForwarder } from './box-network.js';
import { Boxed } from './boxed.js';
import { signalProcess } from './box-processes.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import { containerArguments } from './container-arguments.js';
import { complaintIn, type Engine } from './engine.js';
import { ownFiles } from './own-files.js';
import type { Sandbox } from './sandbox.js';
import type { StartedBox } from './start.js';
import { Surroundings, type SurroundingsOptions } from './surroundings.js';

export interface ContainerOptions extends SurroundingsOptions {
  readonly engine: Engine;
  /** Must be on the machine, and have bash. */
  readonly image: string;
}

/**
 * The first program says that it is up, and waits to be told to go on. The pipe by which it is told stays open as long as we live:
 * with its end, everything in the container ends.
 */
const FIRST =
  'exec 3<&0 </dev/null; echo up >&2; read -r _ <&3 || exit 1; ' +
  '( { read -r _ <&3; kill -KILL -1; } >/dev/null 2>&1 & ); exec 3<&- 2>&1; ';
/** As a child: process 1 takes in orphans, gets no TERM, and ends with the command, which ends all the others. */
const COMMAND = '/bin/bash --noprofile --norc -c "$1"; exit';

/** Boxes that are containers of a local engine, one for each command, gone with it. */
export function container({ engine, image, ...options }: ContainerOptions): Sandbox {
  const { stateFolder } = options;
  const surroundings = new Surroundings(options);
  return {
    level: engine.name,
    start: (spec, signal) => {
      const user = userToDropTo(spec.user) ?? ourselves();
      const own = ownFiles(stateFolder, user);
      return surroundings.for(spec, user.uid, async ({ mounts, proxySocket, tidy }) => {
        const name = `bullpen-${randomUUID()}`;
        const wayOut = proxySocket === null ? '' : `${boxForwarder.script}; `;
        const script = `${FIRST}${wayOut}${COMMAND}`;
        const args = containerArguments({
          spec,
          image,
          name,
          user,
          own,
          mounts,
          proxySocket,
          script,
          engine,
        });
        const box = await startContainer(engine, name, args, signal);
        const tidyAll = async (): ReturnType<typeof tidy> => {
          await box.removed();
          return tidy();
        };
        return new Boxed(box, tidyAll, spec.limits.memoryBytes);
      });
    },
  };
}

/** An engine runs as root: in a container, we would be it as well if we did not say who we are. */
function ourselves(): CommandUser {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

interface StartedContainer extends StartedBox {
  /** Resolves when nothing of it is left, if it was killed; else at once. */
  removed(): Promise<void>;
}

/** Resolves when the container is up and waits. Throws `tool_failed` when it does not come up, and the signal's reason when that fires. */
async function startContainer(
  engine: Engine,
  name: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<StartedContainer> {
  signal.throwIfAborted();
  const child = engine.attach(args);
  const [input, output, errors] = child.stdio.slice(0, 3) as [Writable, Readable, Readable];
  for (const stream of [input, output, errors]) stream.on('error', () => stream.destroy());
  const ended = endOf(child);
  let firstPid = 0;
  let removal = Promise.resolve();
  const kill = (): void => {
    input.destroy();
    if (firstPid !== 0) signalProcess(firstPid, 'SIGKILL');
    removal = engine.remove(name).catch(() => void child.kill('SIGKILL'));
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    const complaint = await complaintUnlessUp(errors);
    if (complaint === null) firstPid = await engine.firstPid(name);
    if (firstPid !== 0 && !signal.aborted)
      return { child, firstPid, output, go: () => void input.write('go\n'), kill, removed: () => removal };
    kill();
    await Promise.all([ended, removal]);
    // It may have been made just then.
    await engine.remove(name);
    signal.throwIfAborted();
    throw new AppError('tool_failed', `The container does not start: ${complaint ?? 'it ended at once'}`);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** What the engine said before it ended; null when the container is up. */
async function complaintUnlessUp(errors: Readable): Promise<string | null> {
  let said = '';
  for await (const chunk of errors.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (/^up$/m.test(said)) {
      // The engine may still have something to say, which nobody must wait for.
      errors.resume();
      return null;
    }
  }
  return complaintIn(said);
}

async function endOf(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, 'close'), once(child, 'error')]);
}
