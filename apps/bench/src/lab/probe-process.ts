/**
 * Loaded into a worker before its own code (`--import`): answers what its memory and its event loop look like. The event loop's delay is
 * counted from one answer to the next, and not before the first one: its clock wakes the process 200 times a second, which alone takes 1 to 2 % of a core.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface ProbeAnswer {
  readonly type: 'probe';
  readonly rss: number;
  readonly heapUsed: number;
  readonly delayP99Ms: number;
}

const delay = monitorEventLoopDelay({ resolution: 5 });

process.on('message', (message: { type?: unknown }) => {
  if (message.type !== 'probe') return;
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  // The timer's own period is no delay.
  const delayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - 5);
  delay.reset();
  delay.enable();
  process.send?.({ type: 'probe', rss, heapUsed, delayP99Ms } satisfies ProbeAnswer);
});
// Listening alone must not keep the process alive once its work has ended.
process.channel?.unref();
