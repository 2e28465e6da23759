/** A command that runs in a box: its signals go to all that share the box's process space, and its end is the end of all of them. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { isRunning, processesIn, processSpaceOf, signalProcess, startTicksOf } from './box-processes.js';
import { watchMemory } from './memory-watch.js';
import type { BoxEnd, BoxedProcess, ProcessAnchor } from './sandbox.js';
import type { StartedBox } from './start.js';
import type { Aftermath } from './surroundings.js';

/** How often a box that was killed is looked at. */
const POLL_MS = 5;

export class Boxed implements BoxedProcess {
  readonly anchor: ProcessAnchor;
  readonly output: Readable;
  readonly ended: Promise<BoxEnd>;
  private readonly space: string | null;
  private limit: BoxEnd['limit'] = null;
  private over = false;

  /**
   * @param lookAfter what is to be done about the workspace when nothing runs any more: gives what it found
   * @param memoryBytes what the box may take, where nothing else bounds it
   */
  constructor(
    private readonly box: StartedBox,
    lookAfter: () => Promise<Aftermath>,
    memoryBytes = Infinity,
  ) {
    const pid = box.firstPid;
    this.anchor = { pid, startTicks: startTicksOf(pid) };
    this.space = processSpaceOf(pid);
    this.output = box.output;
    const unwatch = watchMemory(pid, memoryBytes, () => {
      this.limit = 'memory';
      this.signal('SIGKILL');
    });
    this.ended = this.watch(unwatch, lookAfter);
    box.go();
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.over) return;
    if (signal === 'SIGKILL' || this.space === null) return this.box.kill();
    for (const pid of processesIn(this.space, this.anchor.pid)) signalProcess(pid, signal);
  }

  private async watch(unwatch: () => void, lookAfter: () => Promise<Aftermath>): Promise<BoxEnd> {
    const { child } = this.box;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    this.over = true;
    unwatch();
    // It ends with what it runs; where it was ended from outside, this makes sure.
    while (isRunning(this.anchor)) {
      signalProcess(this.anchor.pid, 'SIGKILL');
      await sleep(POLL_MS);
    }
    const aftermath = await lookAfter();
    return { ...outcome(child.exitCode, child.signalCode), limit: this.limit, ...aftermath };
  }
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** A box tells death by a signal as shells do, by 128 and its number. */
function outcome(
  exitCode: number | null,
  signal: NodeJS.Signals | null,
): Pick<BoxEnd, 'exitCode' | 'signal'> {
  const told = SIGNALS.get((exitCode ?? 0) - 128) as NodeJS.Signals | undefined;
  return told === undefined ? { exitCode, signal } : { exitCode: null, signal: told };
}
