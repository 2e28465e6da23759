/** Node options that give a worker a fault of its own. */
import { fileURLToPath, pathToFileURL } from 'node:url';

function preload(file: string, query: Readonly<Record<string, number>>): readonly string[] {
  const url = pathToFileURL(fileURLToPath(new URL(file, import.meta.url)));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return ['--import', url.href];
}

/** A clock that is `ms` ahead; behind when it is negative. */
export const clockOffBy = (ms: number): readonly string[] => preload('./shift-clock.js', { ms });

/** SIGUSR2 blocks the event loop for `ms`. */
export const blockable = (ms: number): readonly string[] => preload('./misbehave.js', { blockMs: ms });

/** A heap of `megabytes`, which SIGWINCH fills until the process dies. */
export const smallHeap = (megabytes: number): readonly string[] => [
  `--max-old-space-size=${megabytes}`,
  ...preload('./misbehave.js', { blockMs: 0 }),
];
