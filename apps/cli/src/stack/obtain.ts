/** A stack for one command: the one that runs at this home, or one that is started for the command and stopped after it. */
import { processLockHolder } from '@bullpen/platform';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';
import { findEndpoint, findKey, type Endpoint } from '../endpoint.js';
import { findHome, namesAddress } from '../place.js';
import { lockFile } from './home.js';
import { launch, readUpSettings } from './launch.js';
import { createNarrator } from './narrate.js';
import type { StackEvent } from './stack.js';
import { readUpFile } from './up-file.js';

export interface BorrowedStack {
  readonly endpoint: Endpoint;
  /** Whether it was started for this command, and ends with it. */
  readonly own: boolean;
  /** See `Stack`; another one's workers are left alone. */
  loseWorkerOf(path: string, isWanted: () => Promise<boolean>): Promise<string | null>;
  /** Stops a stack of one's own; leaves another one alone. */
  giveBack(): Promise<void>;
}

/**
 * The stack at the address that is named, or the one that runs at this home, or a fresh one on the same data (on a free port when
 * the usual one is taken). Throws what starting one throws.
 */
export async function obtainStack(
  context: Context,
  options: GlobalOptions,
  signal: AbortSignal,
  { ownFolders = false }: { readonly ownFolders?: boolean } = {},
): Promise<BorrowedStack> {
  const home = findHome(options, context.env, context.cwd);
  if (namesAddress(options, context.env, context.cwd) || (await isUp(home))) {
    const endpoint = findEndpoint(options, context.env, context.cwd);
    return {
      ...{ endpoint, own: false },
      loseWorkerOf: () => Promise.resolve(null),
      giveBack: () => Promise.resolve(),
    };
  }
  return startOwn(context, options, { home, ownFolders }, signal);
}

async function isUp(home: string): Promise<boolean> {
  const pid = await processLockHolder(lockFile(home));
  return pid !== null && readUpFile(home)?.pid === pid;
}

async function startOwn(
  context: Context,
  options: GlobalOptions,
  { home, ownFolders }: { readonly home: string; readonly ownFolders: boolean },
  signal: AbortSignal,
): Promise<BorrowedStack> {
  const { io } = context;
  const settings = readUpSettings(context, options);
  const narrator = createNarrator(io.errColors);
  const onEvent = (event: StackEvent): void => {
    // Quiet: only what goes wrong is worth a line beside the picture of the tasks.
    if (event.type !== 'crashed' && !(event.type === 'up' && event.again)) return;
    const line = narrator.tell(event, io.now(), io.columns());
    if (line !== null) io.err(line);
  };
  io.err(io.errColors.dim('Starting Bullpen …'));
  const stack = await launch(context, { settings, anyPort: true, ownFolders, signal, onEvent });
  const { url, simulated } = stack.info;
  if (simulated) io.err(io.errColors.yellow('No ANTHROPIC_API_KEY: answers come from the local simulator'));
  return {
    endpoint: { url, from: home, ...findKey(options, context.env, home) },
    own: true,
    loseWorkerOf: (path, isWanted) => stack.loseWorkerOf(path, isWanted),
    giveBack: () => stack.stop(),
  };
}
