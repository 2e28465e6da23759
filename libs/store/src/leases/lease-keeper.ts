/** The main thread's side of lease renewal: which tasks this process holds, and the signal that stops each of them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { Lease } from '@bullpen/core';
import { msSince, type Moment } from './moment.js';
import type { HeldLease } from './workers.js';
import type { FromLeaseThread, LeaseThreadData, LeaseThreadOptions, ToLeaseThread } from './protocol.js';

/** Why a run is told to stop. */
export type StopReason = 'lost' | 'requested' | 'stale' | 'shutdown';

export interface LeaseKeeperOptions extends Omit<LeaseThreadOptions, 'stuckMs'> {
  /** See `LeaseThreadOptions`. @defaultValue five minutes */
  readonly stuckMs?: number;
  /** Problems of the thread, for the log; not fatal by themselves. */
  readonly onProblem: (message: string) => void;
  /**
   * The thread is gone or no longer reports, and no lease will be renewed: the process must take no more tasks, and end. Called
   * once, when all runs have been told to stop.
   */
  readonly onDead?: (error: Error) => void;
}

/** Longer than any computation that a worker may do. */
const STUCK_MS = 300_000;
/** The thread counts as dead when it has been silent for this long, in ms, or for two leases. */
const SILENT_MS = 30_000;

interface Held {
  readonly lease: Lease;
  readonly controller: AbortController;
  /** When the newest statement was sent that the database let the lease run from. */
  confirmedAt: Moment;
  /** Lost, or given up before it could be. */
  gone: boolean;
}

export class LeaseKeeper {
  private readonly held = new Map<string, Held>();
  private readonly thread: Worker;
  /** Messages from the thread. It has a separate port, because that can be read in the middle of a turn of the event loop. */
  private readonly port: MessagePort;
  private readonly ready: Promise<void>;
  private readonly exited: Promise<void>;
  private readonly pulse: NodeJS.Timeout;
  private silentRounds = 0;
  private closing = false;
  private dead = false;

  constructor(private readonly options: LeaseKeeperOptions) {
    const { databaseUrl, workerId, leaseMs, renewMs, stuckMs = STUCK_MS } = options;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.thread = new Worker(threadFile(), {
      workerData: { databaseUrl, workerId, leaseMs, renewMs, stuckMs, port: port2 } satisfies LeaseThreadData,
      transferList: [port2],
    });
    this.exited = new Promise((resolve) => this.thread.once('exit', () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      this.port.on('message', (message: FromLeaseThread) => {
        if (message.kind === 'ready') resolve();
        this.hear(message);
      });
      this.thread.once('error', (error) => this.die(error));
      this.thread.once('exit', (code) => {
        reject(new Error(`The lease thread ended with code ${code}`));
        this.die(new Error(`it ended with code ${code}`));
      });
    });
    // For callers that wait for `started`; set by `die`.
    this.ready.catch(() => undefined);
    this.pulse = setInterval(() => this.beat(), renewMs).unref();
  }

  /** Resolves when leases can be kept; a worker must not claim before. */
  async started(): Promise<void> {
    await this.ready;
  }

  /**
   * Keeps a lease until `release`. `claimedAt` is a moment before the claim was sent. The signal fires with a `StopReason` when
   * the run must stop.
   */
  hold(lease: Lease, claimedAt: Moment): AbortSignal {
    const controller = new AbortController();
    const held = { lease, controller, confirmedAt: claimedAt, gone: false };
    // A task has one run: whoever has it by an older lease has lost it, and may not have heard of that yet.
    const other = this.held.get(lease.taskId);
    if (other && other.lease.epoch > lease.epoch) {
      giveUp(held, 'lost');
      return controller.signal;
    }
    giveUp(other, 'lost');
    this.held.set(lease.taskId, held);
    if (this.dead) giveUp(held, 'stale');
    this.say({ kind: 'hold', lease: { taskId: lease.taskId, epoch: lease.epoch } });
    return controller.signal;
  }

  release(lease: Lease): void {
    if (!this.find(lease)) return;
    this.held.delete(lease.taskId);
    this.say({ kind: 'release', taskId: lease.taskId });
  }

  /**
   * Whether the lease is valid at this moment, as far as can be known without waiting. After a stop of the whole process (or a
   * sleep of the machine) it says no before any message about the loss could arrive; the signal has then fired, too. A run that was
   * asked to stop still holds its lease.
   */
  stillHolds(lease: Lease): boolean {
    for (let next = receiveMessageOnPort(this.port); next; next = receiveMessageOnPort(this.port))
      this.hear(next.message as FromLeaseThread);
    const held = this.find(lease);
    if (held && msSince(held.confirmedAt) >= this.options.leaseMs) giveUp(held, 'stale');
    return held !== undefined && !held.gone;
  }

  /** Looks at once whether somebody cancelled or interrupted one of the held tasks. */
  lookNow(): void {
    if (this.held.size > 0) this.say({ kind: 'renew' });
  }

  /** Number of tasks that this process runs. */
  get size(): number {
    return this.held.size;
  }

  /** Tells every run to stop. */
  stopAll(reason: StopReason): void {
    for (const { controller } of this.held.values()) controller.abort(reason);
  }

  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.pulse);
    this.say({ kind: 'stop' });
    // A silent thread would not hear of it either.
    if (this.dead) await this.thread.terminate();
    await this.exited;
  }

  /** Both threads tell each other that they are alive. */
  private beat(): void {
    this.say({ kind: 'alive' });
    // Counted in rounds and not by a clock: both threads stop together when the process is stopped.
    this.silentRounds += 1;
    const silentMs = this.silentRounds * this.options.renewMs;
    if (silentMs > Math.max(SILENT_MS, 2 * this.options.leaseMs))
      this.die(new Error(`it has said nothing for ${silentMs} ms`));
  }

  /** Without the thread no lease is renewed: everything is stopped while the leases still hold. */
  private die(cause: Error): void {
    if (this.closing || this.dead) return;
    this.dead = true;
    clearInterval(this.pulse);
    const error = new Error(`The thread that renews leases is dead: ${cause.message}`, { cause });
    this.options.onProblem(error.message);
    this.giveUpAll();
    this.options.onDead?.(error);
  }

  private hear(message: FromLeaseThread): void {
    this.silentRounds = 0;
    switch (message.kind) {
      case 'renewed':
        for (const held of message.leases.flatMap((lease) => this.find(lease) ?? []))
          held.confirmedAt = message.sentAt;
        return;
      case 'lost':
        return giveUp(this.find(message.lease), 'lost');
      case 'stop_requested':
        this.find(message.lease)?.controller.abort('requested' satisfies StopReason);
        return;
      case 'stale':
        this.options.onProblem(message.message);
        return this.giveUpAll();
      case 'problem':
        this.options.onProblem(message.message);
        return;
      case 'ready':
      case 'alive':
      case 'stopped':
    }
  }

  private giveUpAll(): void {
    for (const held of this.held.values()) giveUp(held, 'stale');
  }

  private find({ taskId, epoch }: HeldLease): Held | undefined {
    const held = this.held.get(taskId);
    return held?.lease.epoch === epoch ? held : undefined;
  }

  private say(message: ToLeaseThread): void {
    this.port.postMessage(message);
  }
}

function giveUp(held: Held | undefined, reason: StopReason): void {
  if (!held) return;
  held.gone = true;
  held.controller.abort(reason);
}

/** The built thread file, also when this module runs from its source (tests do). */
function threadFile(): URL {
  const here = new URL('./lease-thread.js', import.meta.url);
  return existsSync(fileURLToPath(here))
    ? here
    : new URL('../../dist/leases/lease-thread.js', import.meta.url);
}
