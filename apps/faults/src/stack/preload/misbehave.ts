/** Loaded into a worker with `--import <this file>`: SIGUSR2 blocks its event loop for some seconds, SIGWINCH fills its heap until it dies. */
import { isMainThread } from 'node:worker_threads';

const blockMs = Number(new URL(import.meta.url).searchParams.get('blockMs') ?? '0');

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const end = performance.now() + blockMs;
    while (performance.now() < end);
  });
  process.on('SIGWINCH', () => {
    const hoard: unknown[] = [];
    for (;;) hoard.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
  });
}
