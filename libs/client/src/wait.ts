/** Pauses between tries. */

/** Time before the n-th retry (from 0), in ms: 250, 500, 1000, ... up to ten seconds, half of it by chance. */
export function backoffMs(tries: number): number {
  const full = Math.min(250 * 2 ** Math.min(tries, 10), 10_000);
  return full / 2 + (Math.random() * full) / 2;
}

/** Resolves after a time. Throws the signal's reason when it fires before. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
