/** What the worker's main thread and its lease thread say to each other. */
import type { MessagePort } from 'node:worker_threads';
import type { HeldLease } from './workers.js';
import type { Moment } from './moment.js';

/** Handed to the thread at its start. */
export interface LeaseThreadOptions {
  readonly databaseUrl: string;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The process is ended when its main thread has hung for this long, in ms: otherwise its leases would be renewed forever. */
  readonly stuckMs: number;
}

export interface LeaseThreadData extends LeaseThreadOptions {
  /** Where the two talk. */
  readonly port: MessagePort;
}

export type ToLeaseThread =
  /** The event loop of the main thread is running. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'hold'; readonly lease: HeldLease }
  | { readonly kind: 'release'; readonly taskId: string }
  /** Look now: a cancel or an interrupt was heard of. */
  | { readonly kind: 'renew' }
  | { readonly kind: 'stop' };

export type FromLeaseThread =
  | { readonly kind: 'ready' }
  /** The thread lives, whether or not there was anything to renew. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'stopped' }
  /** These leases have been renewed, counted from a moment after the statement was sent. */
  | { readonly kind: 'renewed'; readonly leases: readonly HeldLease[]; readonly sentAt: Moment }
  | { readonly kind: 'lost'; readonly lease: HeldLease }
  | { readonly kind: 'stop_requested'; readonly lease: HeldLease }
  /** No renewal succeeded for half a lease: everything local must stop before the leases end. */
  | { readonly kind: 'stale'; readonly message: string }
  | { readonly kind: 'problem'; readonly message: string };
