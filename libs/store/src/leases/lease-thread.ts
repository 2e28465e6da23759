/**
 * Entry of the thread that renews a worker's leases: its own event loop and its own connection, so that neither a busy main
 * thread nor an exhausted pool stops it. One statement renews all leases of the worker.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import pg from 'pg';
import { renewLeases, type HeldLease } from './workers.js';
import { momentNow } from './moment.js';
import type { FromLeaseThread, LeaseThreadData, ToLeaseThread } from './protocol.js';

const options = workerData as LeaseThreadData;
const { port } = options;

const held = new Map<string, HeldLease>();
const pool = new pg.Pool({
  connectionString: options.databaseUrl,
  max: 1,
  application_name: `bullpen-leases-${options.workerId}`,
  connectionTimeoutMillis: options.renewMs,
  query_timeout: options.renewMs,
});
pool.on('error', (error) => say({ kind: 'problem', message: error.message }));

let lastSuccess = performance.now();
let renewing: Promise<void> | null = null;

function say(message: FromLeaseThread): void {
  port.postMessage(message);
}

/** Renews everything that is held. What was taken on while the statement ran is judged by the next one. */
async function renew(): Promise<void> {
  if (held.size === 0) {
    lastSuccess = performance.now();
    return;
  }
  const asked = [...held.values()];
  const sentAt = momentNow();
  try {
    const kept = await renewLeases(pool, options.workerId, options.leaseMs, asked);
    lastSuccess = performance.now();
    say({ kind: 'renewed', leases: kept.map(({ taskId, epoch }) => ({ taskId, epoch })), sentAt });
    const byTask = new Map(kept.map((lease) => [lease.taskId, lease]));
    for (const lease of asked) {
      if (held.get(lease.taskId) !== lease) continue;
      const answer = byTask.get(lease.taskId);
      if (!answer) {
        held.delete(lease.taskId);
        say({ kind: 'lost', lease });
      } else if (answer.stopRequested) say({ kind: 'stop_requested', lease });
    }
  } catch (error) {
    say({ kind: 'problem', message: error instanceof Error ? error.message : String(error) });
    // Half a lease without success: the database may give the tasks away soon, so the local runs must end first.
    if (performance.now() - lastSuccess > options.leaseMs / 2) {
      held.clear();
      say({ kind: 'stale', message: `No lease could be renewed for ${options.leaseMs / 2} ms` });
    }
  }
}

/** One renewal at a time; a request during one is answered by a second round. */
function renewSoon(): void {
  renewing = (renewing ?? Promise.resolve()).then(renew);
}

/** Counted in rounds and not by a clock: a process that was stopped, or a machine that slept, is not stuck. */
const STUCK_ROUNDS = Math.ceil(options.stuckMs / options.renewMs);
let silentRounds = 0;

function round(): void {
  say({ kind: 'alive' });
  silentRounds += 1;
  // Nothing gentler reaches a thread that does not listen; others continue from what its tasks have stored.
  if (silentRounds > STUCK_ROUNDS) {
    writeSync(
      2,
      `The main thread of worker ${options.workerId} has stood still for ${options.stuckMs} ms: ending it\n`,
    );
    process.kill(process.pid, 'SIGKILL');
  }
  renewSoon();
}

const timer = setInterval(round, options.renewMs);

async function stop(): Promise<void> {
  clearInterval(timer);
  await renewing;
  await pool.end();
  say({ kind: 'stopped' });
  port.close();
}

port.on('message', (message: ToLeaseThread) => {
  switch (message.kind) {
    case 'alive':
      silentRounds = 0;
      return;
    case 'hold':
      held.set(message.lease.taskId, message.lease);
      return;
    case 'release':
      held.delete(message.taskId);
      return;
    case 'renew':
      renewSoon();
      return;
    case 'stop':
      void stop();
  }
});
say({ kind: 'ready' });
