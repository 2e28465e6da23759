/** The main thread's side of lease renewal: which tasks this process holds, and the signal that stops each of them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { Lease } from '@bullpen/core';
import { msSince, type Moment } from './moment.js';
import type { HeldLease } from '../workers.js';
import type { FromLeaseThread, LeaseThreadData, LeaseThreadOptions, ToLeaseThread } from './protocol.js';

/** Why a run is told to stop. */
export type StopReason = 'lost' | 'requested' | 'stale' | 'shutdown';

export interface LeaseKeeperOptions extends LeaseThreadOptions {
  /** Problems of the thread, for the log; not fatal by themselves. */
  readonly onProblem: (message: string) => void;
}

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
  /** What the thread says. A port of its own, because it can be listened to in the middle of a turn of the event loop. */
  private readonly port: MessagePort;
  private readonly ready: Promise<void>;

  constructor(private readonly options: LeaseKeeperOptions) {
    const { databaseUrl, workerId, leaseMs, renewMs } = options;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.thread = new Worker(threadFile(), {
      workerData: { databaseUrl, workerId, leaseMs, renewMs, port: port2 } satisfies LeaseThreadData,
      transferList: [port2],
    });
    this.ready = new Promise((resolve, reject) => {
      this.port.on('message', (message: FromLeaseThread) =>
        message.kind === 'ready' ? resolve() : this.hear(message),
      );
      this.thread.once('error', (error) => {
        reject(error);
        // Without the thread no lease is renewed: stop everything while the leases still hold.
        this.options.onProblem(`The lease thread failed: ${error.message}`);
        this.giveUpAll();
      });
    });
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
    this.held.set(lease.taskId, { lease, controller, confirmedAt: claimedAt, gone: false });
    this.say({ kind: 'hold', lease: { taskId: lease.taskId, epoch: lease.epoch } });
    return controller.signal;
  }

  release(lease: Lease): void {
    if (!this.find(lease)) return;
    this.held.delete(lease.taskId);
    this.say({ kind: 'release', taskId: lease.taskId });
  }

  /**
   * Whether the lease is good at this moment, by all that can be known here without waiting. After a stop of the whole process
   * (or a sleep of the machine) it says no before any message of the loss could come; then the signal has fired, too. A run that
   * was asked to stop still holds its lease.
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
    const ended = new Promise<void>((resolve) => this.thread.once('exit', () => resolve()));
    this.say({ kind: 'stop' });
    await ended;
  }

  private hear(message: FromLeaseThread): void {
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
