/** The main thread's side of lease renewal: which tasks this process holds, and the signal that stops each of them. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Lease } from '@bullpen/core';
import type { FromLeaseThread, LeaseThreadOptions, ToLeaseThread } from './protocol.js';

/** Why a run is told to stop. */
export type StopReason = 'lost' | 'requested' | 'stale' | 'shutdown';

export interface LeaseKeeperOptions extends LeaseThreadOptions {
  /** Problems of the thread, for the log; not fatal by themselves. */
  readonly onProblem: (message: string) => void;
}

interface Held {
  readonly lease: Lease;
  readonly controller: AbortController;
}

export class LeaseKeeper {
  private readonly held = new Map<string, Held>();
  private readonly thread: Worker;
  private readonly ready: Promise<void>;

  constructor(private readonly options: LeaseKeeperOptions) {
    const { databaseUrl, workerId, leaseMs, renewMs } = options;
    this.thread = new Worker(threadFile(), {
      workerData: { databaseUrl, workerId, leaseMs, renewMs } satisfies LeaseThreadOptions,
    });
    this.ready = new Promise((resolve, reject) => {
      this.thread.on('message', (message: FromLeaseThread) =>
        message.kind === 'ready' ? resolve() : this.hear(message),
      );
      this.thread.once('error', (error) => {
        reject(error);
        // Without the thread no lease is renewed: stop everything while the leases still hold.
        this.options.onProblem(`The lease thread failed: ${error.message}`);
        this.stopAll('stale');
      });
    });
  }

  /** Resolves when leases can be kept; a worker must not claim before. */
  async started(): Promise<void> {
    await this.ready;
  }

  /** Keeps a lease until `release`. The signal fires with a `StopReason` when the run must stop. */
  hold(lease: Lease): AbortSignal {
    const controller = new AbortController();
    this.held.set(lease.taskId, { lease, controller });
    this.say({ kind: 'hold', lease: { taskId: lease.taskId, epoch: lease.epoch } });
    return controller.signal;
  }

  release(lease: Lease): void {
    if (this.held.get(lease.taskId)?.lease.epoch !== lease.epoch) return;
    this.held.delete(lease.taskId);
    this.say({ kind: 'release', taskId: lease.taskId });
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
      case 'lost':
      case 'stop_requested': {
        const held = this.held.get(message.lease.taskId);
        if (held?.lease.epoch === message.lease.epoch)
          held.controller.abort((message.kind === 'lost' ? 'lost' : 'requested') satisfies StopReason);
        return;
      }
      case 'stale':
        this.options.onProblem(message.message);
        this.stopAll('stale');
        return;
      case 'problem':
        this.options.onProblem(message.message);
        return;
      case 'ready':
      case 'stopped':
    }
  }

  private say(message: ToLeaseThread): void {
    this.thread.postMessage(message);
  }
}

/** The built thread file, also when this module runs from its source (tests do). */
function threadFile(): URL {
  const here = new URL('./lease-thread.js', import.meta.url);
  return existsSync(fileURLToPath(here))
    ? here
    : new URL('../../dist/leases/lease-thread.js', import.meta.url);
}
